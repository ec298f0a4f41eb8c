/** How the terms and facts of a scene look: pure, so that the screen and an exported picture show the same. */
import type { Scene, SceneFact, SceneTerm } from './scene';

/** The theme's colours, each as `#rrggbb` or `#rgb`. */
export interface Colours {
  readonly surface: string;
  readonly ink: string;
  readonly quiet: string;
  readonly line: string;
  readonly accent: string;
  /** Of the rings around answers. */
  readonly gold: string;
  /** Of a run that alone has a fact, by its variable of the theme. */
  readonly side: (variable: string) => string;
  readonly node: (group: number) => string;
  readonly letter: (group: number) => string;
}

/** The room that a drawing has, in pixels. */
export interface Pane {
  readonly width: number;
  readonly height: number;
}

export interface TermLook {
  readonly radius: number;
  readonly fill: string;
  readonly border: number;
  readonly borderColour: string;
  readonly label: string;
  readonly labelColour: string;
  readonly letterColour: string;
  /** Of two names that want one place, the one with the higher rank has it; 0 has one only where there is room to spare. */
  readonly rank: number;
  /** Whether it stands before others. */
  readonly front: boolean;
}

export interface FactLook {
  readonly width: number;
  readonly colour: string;
  /** From 0 to 1. */
  readonly alpha: number;
  /** Drawn only where it is not empty. */
  readonly label: string;
  readonly front: boolean;
  readonly dashed: boolean;
}

/** The rank of the name of a term that stands in front, and is not chosen itself. */
export const FRONT_RANK = 2;
/** Up to this number of terms, all have their names. */
const FEW = 26;
/** More facts around a term than this are a crowd: their lines are thin and let each other through, and bear no names. */
export const CROWD = 12;
/** In so large a scene nothing is dashed and no line has a head: neither could be seen. */
export const VAST = 3000;
/** The pane under this width has no room for the names of what was taken out. */
export const NARROW = 520;
/** The share of the surface's colour in what stands back: behind what is chosen, and behind a proof. */
const BACK = 0.72;
const BEHIND_PROOF = 0.45;
/** A fainter line could not be seen at all. */
const FAINTEST = 0.16;

/** The looks of one scene. */
export class Looks {
  readonly #scene: Scene;
  readonly #colours: Colours;
  readonly #narrow: boolean;
  readonly #full: number;
  readonly #kept: number;
  /** How many facts touch a term. */
  readonly #degrees = new Map<string, number>();
  /** The terms in front; null where none stands back. */
  readonly #front: ReadonlySet<string> | null;
  readonly #back: number;

  constructor(scene: Scene, colours: Colours, { width, height }: Pane) {
    this.#scene = scene;
    this.#colours = colours;
    this.#narrow = width < NARROW;
    const { terms, facts, focus, marked, path } = scene;
    this.#full = fullRadius(terms.length, width * height);
    this.#kept = terms.reduce((count, { removed }) => count + (removed ? 0 : 1), 0);
    for (const { source, target } of facts) {
      this.#degrees.set(source, (this.#degrees.get(source) ?? 0) + 1);
      this.#degrees.set(target, (this.#degrees.get(target) ?? 0) + 1);
    }
    const chosen = marked.size > 0;
    const front = new Set(marked);
    for (const { id, source, target, highlighted, ahead } of facts) {
      const shown = chosen ? path.has(id) || source === focus || target === focus : highlighted;
      if (shown || ahead) front.add(source).add(target);
    }
    this.#front = front.size > 0 ? front : null;
    this.#back = chosen ? BACK : BEHIND_PROOF;
  }

  /** How a term looks. */
  term(term: SceneTerm): TermLook {
    const { ink, surface, quiet, line, accent, node, letter } = this.#colours;
    const { key, group, label, hollow, removed, centre, ahead } = term;
    const isMarked = this.#scene.marked.has(key);
    const front = this.#front?.has(key) ?? false;
    const back = this.#front !== null && !front ? this.#back : 0;
    const colour = mixed(ahead ? accent : removed ? line : node(group), surface, back);
    const empty = hollow || removed || ahead === true;
    const full = centre ? Math.max(this.#full, Math.min(11, 2.5 * this.#full)) : this.#full;
    const radius = ahead ? (hollow ? 5 : 7) : empty ? Math.max(Math.min(3.5, full), full * 0.7) : full;
    const silent = hollow || (this.#narrow && removed && !isMarked);
    return {
      radius,
      fill: empty ? surface : colour,
      border: Math.min(removed ? 1.2 : ahead ? 1.6 : 2, radius * 0.45),
      borderColour: colour,
      label: silent ? '' : label,
      labelColour: ahead ? ink : removed || back > 0 ? quiet : ink,
      letterColour: removed || back > 0 ? (empty ? quiet : letter(group)) : empty ? ink : letter(group),
      rank: this.#rank(term, isMarked, front),
      front: front || ahead === true,
    };
  }

  #rank({ key, centre, removed, ahead }: SceneTerm, isMarked: boolean, front: boolean): number {
    if (key === this.#scene.focus) return 6;
    if (centre) return 5;
    if (ahead) return 4;
    if (isMarked) return 3;
    if (front) return FRONT_RANK;
    return !removed && this.#kept <= FEW ? 1 : 0;
  }

  /** How a fact looks. */
  fact({ id, source, target, label, removed, highlighted, ahead, side }: SceneFact): FactLook {
    const { line, ink, quiet, accent } = this.#colours;
    const { focus, path, marked, facts } = this.#scene;
    const degree = Math.max(this.#degrees.get(source) ?? 0, this.#degrees.get(target) ?? 0);
    // Where a great many facts are drawn, lines that belong to different terms cross one another as well.
    const crowd = Math.max(degree, facts.length / 40);
    const thin = Math.min(1, Math.sqrt(CROWD / crowd));
    const dashed = (removed || ahead === true) && facts.length <= VAST;
    if (ahead) return { width: 1, colour: accent, alpha: 1, label: '', front: true, dashed };
    const beside = focus !== null && (source === focus || target === focus);
    if (path.has(id) || (highlighted && !beside)) {
      const aside = marked.size > 0 && !path.has(id);
      return {
        width: removed ? 1.6 : crowded(path.size) && !highlighted ? 1.2 : 3,
        colour: accent,
        alpha: aside ? 1 - BACK : 1,
        label: path.has(id) && path.size <= CROWD ? label : '',
        front: !aside,
        dashed,
      };
    }
    const around = beside ? (this.#degrees.get(focus) ?? 0) : 0;
    if (beside) {
      return {
        width: removed ? 1 : Math.max(1.2, 1.9 * thin),
        colour: highlighted ? accent : ink,
        // However many lines meet at a hub, they stay lines.
        alpha: crowded(around) ? Math.max(0.08, Math.min(0.6, (4 * CROWD) / around)) : 1,
        label: crowded(around) ? '' : label,
        front: true,
        dashed,
      };
    }
    const back = this.#front !== null && !(this.#front.has(source) && this.#front.has(target));
    return {
      width: removed ? 1 : Math.max(0.8, (side ? 2.6 : 1.9) * thin),
      // A line that lets others through has to be darker, or it is invisible.
      colour: side ? this.#colours.side(side) : thin < 1 ? quiet : line,
      alpha: Math.max(
        // What stands back is still there, but for a web of lines.
        facts.length > VAST ? 0 : FAINTEST,
        (thin < 1 ? Math.max(0.1, 0.7 * Math.sqrt(thin)) : 1) * (back ? 1 - this.#back : 1),
      ),
      label: '',
      front: false,
      dashed,
    };
  }
}

function crowded(count: number): boolean {
  return count > CROWD;
}

/** The radius of a term that nothing makes smaller: what there is room for. */
function fullRadius(terms: number, area: number): number {
  if (terms <= 40) return 9;
  if (terms <= 120) return 6.5;
  return Math.min(4.5, Math.max(1.2, 0.25 * Math.sqrt(area / terms)));
}

/** One colour with a share of another. */
export function mixed(colour: string, other: string, share: number): string {
  if (share === 0) return colour;
  const [one, two] = [partsOf(colour), partsOf(other)];
  return `#${one.map((part, index) => hex(part + ((two[index] ?? 0) - part) * share)).join('')}`;
}

/** A colour as WebGL blends it: each part times the share of light that it keeps to itself. */
export function translucent(colour: string, alpha: number): string {
  if (alpha >= 1) return colour;
  const [red = 0, green = 0, blue = 0] = partsOf(colour).map((part) => Math.round(part * alpha));
  return `rgba(${red},${green},${blue},${Math.round(alpha * 100) / 100})`;
}

function partsOf(colour: string): readonly number[] {
  const long = colour.length === 4 ? colour.replace(/[^#]/g, '$&$&') : colour;
  return [1, 3, 5].map((at) => Number.parseInt(long.slice(at, at + 2), 16));
}

function hex(part: number): string {
  return Math.round(part).toString(16).padStart(2, '0');
}
