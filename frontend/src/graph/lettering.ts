/**
 * Letters and names over what sigma draws: letters on terms, names beside them, those of relations between them. A name
 * is written where there is room for it: names that cover one another are no names.
 */
import type { Point } from '../core/drawing/layout';
import { interpolate } from './interpolate';
import { letterOf } from '../core/drawing/palette';
import { Room, type Rect } from './labels';
import { FRONT_RANK, type Colours, type FactLook, type TermLook } from './appearance';
import type { Shape, Text } from './picture';
import type { Scene, SceneTerm } from './scene';

const NAME_SIZE = 12;
const RELATION_SIZE = 11;
const LINE_HEIGHT = 1.25;
/** The free space around a name that is not requested. */
const AIR = 6;
/** Maximum of terms in sight that are checked for free places for their names. */
const ASKED = 2000;
const LONGEST = 32;
/** A term that is smaller has no room for its letter. */
const LETTERED = 5.5;

/** Where something stands in the pane, in pixels. */
export interface Seen extends Point {
  readonly radius: number;
}

/** A drawing as it is in sight. */
export interface InSight {
  /** Of the pane, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly scene: Scene;
  /** The terms that have names, those that need them most first. */
  readonly named: readonly SceneTerm[];
  /** Whether the named terms alone have letters. */
  readonly isFar: boolean;
  /** Whether too many names are wanted, so that only the first may stand on other terms. */
  readonly isCrowded: boolean;
  readonly colours: Colours;
  readonly termLook: (key: string) => TermLook | undefined;
  readonly factLook: (key: string) => FactLook | undefined;
  /** Where a term is drawn; null where it is not. */
  readonly seen: (key: string) => Seen | null;
}

/** What is taken already: by names, and by terms. */
interface Taken {
  readonly names: Room;
  readonly dots: Room;
}

export class Lettering {
  readonly #measure: (text: string, size: number, weight: number) => number;
  readonly #widths = new Map<string, number>();

  /** Set the function that measures the width of a text in pixels. */
  constructor(measure: (text: string, size: number, weight: number) => number) {
    this.#measure = measure;
  }

  /** All letters and names for which there is room. */
  shapes(drawing: InSight): readonly Shape[] {
    const { width, height, named } = drawing;
    const taken = { names: new Room(width, height), dots: new Room(width, height) };
    const seen = new Map<string, Seen>();
    const shapes = letters(drawing, seen, taken.dots);
    let asked = 0;
    for (const term of named) {
      const at = seen.get(term.key);
      const look = drawing.termLook(term.key);
      if (!at || !look) continue;
      asked += 1;
      if (asked > ASKED) break;
      const name = this.#name(drawing, term, look, at, taken);
      if (name) shapes.push(name);
    }
    return [...shapes, ...this.#relations(drawing, seen, taken)];
  }

  /** A term's name, where there is room for it. */
  #name(
    { scene, isCrowded, colours }: InSight,
    term: SceneTerm,
    look: TermLook,
    at: Seen,
    { names, dots }: Taken,
  ): Text | null {
    const text = look.label.length > LONGEST ? `${look.label.slice(0, LONGEST - 1)}…` : look.label;
    const wide = this.#widthOf(text, NAME_SIZE, 500);
    const rings = [scene.marked, scene.gold].filter((ringed) => ringed.has(term.key)).length;
    const places = placesBeside(at, wide, 5 + 4 * rings, term);
    const air = look.rank > 0 ? 0 : AIR;
    const clear = places.filter(({ rect }) => dots.isFree(rect));
    const mayCover = look.rank > (isCrowded ? FRONT_RANK : 0);
    const inOrder = mayCover ? [...clear, ...places] : clear;
    const found =
      inOrder[
        names.takeFirst(
          inOrder.map(({ rect }) => rect),
          air,
        )
      ];
    if (!found) return null;
    return written(found.at, text, NAME_SIZE, found.align, look.labelColour, colours.surface, 500);
  }

  /** The names of relations, between the names of terms; none stands on a term. */
  #relations(
    { scene, factLook, colours }: InSight,
    seen: ReadonlyMap<string, Seen>,
    { names, dots }: Taken,
  ): readonly Shape[] {
    const shapes: Shape[] = [];
    for (const fact of scene.facts) {
      const look = factLook(String(fact.id));
      if (!look?.label) continue;
      const [from, to] = [seen.get(fact.source), seen.get(fact.target)];
      if (!from || !to) continue;
      const wide = this.#widthOf(look.label, RELATION_SIZE, 400);
      const high = RELATION_SIZE * LINE_HEIGHT;
      const middles = [0.5, 0.62, 0.38].map((share) => ({
        x: interpolate(from.x, to.x, share),
        y: interpolate(from.y, to.y, share),
      }));
      const places = middles
        .map((at) => ({ at, rect: { x: at.x - wide / 2, y: at.y - high / 2, width: wide, height: high } }))
        .filter(({ rect }) => dots.isFree(rect));
      const at = places[names.takeFirst(places.map(({ rect }) => rect))]?.at;
      if (!at) continue;
      shapes.push(written(at, look.label, RELATION_SIZE, 'center', colours.ink, colours.surface, 400));
    }
    return shapes;
  }

  #widthOf(text: string, size: number, weight: number): number {
    const known = this.#widths.get(`${size} ${text}`);
    if (known !== undefined) return known;
    const width = this.#measure(text, size, weight);
    this.#widths.set(`${size} ${text}`, width);
    return width;
  }
}

/** The letters of terms in sight, and the dots of those that are pinned; fills in where each stands, and takes its room. */
function letters(
  { width, height, scene, named, isFar, colours, termLook, seen: seenAt }: InSight,
  seen: Map<string, Seen>,
  dots: Room,
): Shape[] {
  const shapes: Shape[] = [];
  for (const { key, group, pinned } of isFar ? named : scene.terms) {
    const at = seenAt(key);
    const look = termLook(key);
    if (!at || !look || at.x < 0 || at.y < 0 || at.x > width || at.y > height) continue;
    seen.set(key, at);
    if (seen.size <= ASKED) dots.take(square(at));
    if (at.radius >= LETTERED) {
      const size = Math.min(11, at.radius * 1.1);
      const middle = { x: at.x, y: at.y + 0.5 };
      shapes.push(written(middle, letterOf(group), size, 'center', look.letterColour, null, 700));
    }
    if (pinned) {
      const corner = { x: at.x + at.radius * 0.75, y: at.y - at.radius * 0.75 };
      const { accent, surface } = colours;
      shapes.push({ kind: 'circle', at: corner, radius: 3.5, fill: accent, stroke: surface, width: 1.5 });
    }
  }
  return shapes;
}

function written(
  at: Point,
  text: string,
  size: number,
  align: Text['align'],
  colour: string,
  halo: string | null,
  weight: number,
): Text {
  return { kind: 'text', at, text, size, weight, align, colour, halo };
}

interface NamePlace {
  readonly rect: Rect;
  readonly at: Point;
  readonly align: Text['align'];
}

/** The places for a name around its term, the best first. */
function placesBeside({ x, y, radius }: Seen, width: number, gap: number, term: SceneTerm): readonly NamePlace[] {
  const height = NAME_SIZE * LINE_HEIGHT;
  const top = y - height / 2;
  const away = radius + gap;
  const right: NamePlace = { rect: { x: x + away, y: top, width, height }, at: { x: x + away, y }, align: 'left' };
  const left: NamePlace = {
    rect: { x: x - away - width, y: top, width, height },
    at: { x: x - away, y },
    align: 'right',
  };
  const stacked = (middle: number): NamePlace => ({
    rect: { x: x - width / 2, y: middle - height / 2, width, height },
    at: { x, y: middle },
    align: 'center',
  });
  const beneath = stacked(y + away + height / 2 - 1);
  const over = stacked(y - away - height / 2 + 1);
  if (term.centre) return [beneath, over, right, left];
  return term.at.x < -0.3 ? [left, right, beneath, over] : [right, left, beneath, over];
}

function square({ x, y, radius }: Seen): Rect {
  return { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius };
}
