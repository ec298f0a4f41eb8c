/**
 * Facts drawn by sigma. The graph holds the facts as they are; what is shown of them, and how, is said by reducers, so
 * that going from one moment to another changes appearance alone. Names, letters, rings and dashes are shapes of our
 * own, beneath and above what sigma draws.
 */
import { createNodeBorderProgram } from '@sigma/node-border';
import { MultiDirectedGraph } from 'graphology';
import Sigma from 'sigma';
import { EdgeArrowProgram, EdgeLineProgram, NodePointProgram } from 'sigma/rendering';
import type { EdgeDisplayData, NodeDisplayData } from 'sigma/types';

import type { Point } from '../core/drawing/layout';
import { plural } from '../core/words/format';
import { interpolate } from './interpolate';
import { Lettering, type Seen } from './lettering';
import { Looks, NARROW, VAST, translucent, type Colours, type FactLook, type TermLook } from './appearance';
import { paint, type Picture, type Shape } from './picture';
import type { Scene, SceneFact, SceneTerm } from './scene';
import { loopsOf, sharedLines, type SharedLine } from './together';

const GROWTH = 240;
/** A drawing of a few terms does not fill the pane with them. */
const SMALLEST_SPAN = 5;
/** How much nearer one press leads, and which share of the pane one press moves. */
const ZOOM = 1.5;
const PAN = 0.25;
/** Of a vast scene, so small a share is in sight where names are read. */
const NEAR = 0.3;
/** Maximum of names on other terms where there is no free place; beyond it, those of a higher rank. */
const FEW_NAMES = 26;
/** Who moves the pointer less far than this, in pixels, has clicked. */
const CLICK = 5;
/** The radius of the loop of a fact that leads from a term to itself. */
const LOOP = 9;
/** The size of the letters that count facts on one line. */
const COUNT_SIZE = 10.5;
/** So far is a ring from its term. */
const RING = 3.5;

export interface Box {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

/** Called when the user acts on a drawing. */
export interface DrawingHandlers {
  /** A term was clicked, with Shift or Ctrl where it joins what is chosen; null for the ground between them. */
  readonly onselect: (key: string | null, joins: boolean) => void;
  /** The pointer is on a term; null where it left it. */
  readonly onpoint: (key: string | null) => void;
  /** A term was dragged to a place. */
  readonly onpin: (key: string, at: Point) => void;
}

/** What is in sight of a drawing: its box, and how the camera looks at it. */
export interface Sight {
  readonly box: Box;
  readonly camera: { readonly x: number; readonly y: number; readonly ratio: number };
}

export class FactsDrawing {
  readonly #graph = new MultiDirectedGraph();
  readonly #sigma: Sigma;
  /** Dashes and rings, under the terms. */
  readonly #beneath: CanvasRenderingContext2D;
  /** Letters and names, over them. */
  readonly #above: CanvasRenderingContext2D;
  readonly #font: string;
  readonly #watch: ResizeObserver;
  readonly #lettering: Lettering;
  #colours: Colours;
  #scene: Scene = {
    terms: [],
    facts: [],
    marked: new Set(),
    gold: new Set(),
    focus: null,
    path: new Set(),
    extent: [],
  };
  #terms: ReadonlyMap<string, SceneTerm> = new Map();
  #facts: ReadonlyMap<string, SceneFact> = new Map();
  #shared: readonly SharedLine[] = [];
  #loops: ReadonlyMap<string, readonly SceneFact[]> = new Map();
  #termLooks: ReadonlyMap<string, TermLook> = new Map();
  #factLooks: ReadonlyMap<string, FactLook> = new Map();
  /** The terms that have names, those that need them most first. */
  #named: readonly SceneTerm[] = [];
  /** Whether too many names are wanted, so that only the first may stand on other terms. */
  #isCrowded = false;
  /** How much wider than high the drawing is, for panes that are. */
  #stretch = 1;
  #box: Box | null = null;
  #growing = 0;

  constructor(container: HTMLElement, colours: Colours, handlers: DrawingHandlers) {
    this.#colours = colours;
    this.#font = getComputedStyle(container).fontFamily;
    this.#sigma = new Sigma(this.#graph, container, {
      allowInvalidContainer: true,
      defaultNodeType: 'dot',
      nodeProgramClasses: {
        dot: createNodeBorderProgram({
          borders: [
            { size: { attribute: 'border', defaultValue: 2, mode: 'pixels' }, color: { attribute: 'borderColour' } },
            { size: { fill: true }, color: { attribute: 'color' } },
          ],
        }),
        point: NodePointProgram,
      },
      defaultEdgeType: 'arrow',
      edgeProgramClasses: { arrow: EdgeArrowProgram, thin: EdgeLineProgram },
      renderLabels: false,
      minEdgeThickness: 0.6,
      stagePadding: 36,
      zIndex: true,
      minCameraRatio: 0.02,
      maxCameraRatio: 3,
      // Sigma's own hover writes a name over whatever stands there.
      defaultDrawNodeHover: () => undefined,
      nodeReducer: (node, at) => ({ ...at, ...this.#nodeData(node) }),
      edgeReducer: (edge) => this.#edgeData(edge),
    });
    const layer = (id: string, where: { beforeLayer: string } | { afterLayer: string }) =>
      this.#sigma.createCanvas(id, where).getContext('2d') as CanvasRenderingContext2D;
    this.#beneath = layer('beneath', { beforeLayer: 'nodes' });
    this.#above = layer('above', { afterLayer: 'hoverNodes' });
    this.#lettering = new Lettering((text, size, weight) => {
      this.#above.font = `${weight} ${size}px ${this.#font}`;
      return this.#above.measureText(text).width;
    });
    this.#sigma.on('resize', () => this.#resized());
    this.#sigma.on('afterRender', () => this.#drawShapes());
    this.#sigma.on('clickStage', () => handlers.onselect(null, false));
    this.#sigma.on('enterNode', ({ node }) => handlers.onpoint(node));
    this.#sigma.on('leaveNode', () => handlers.onpoint(null));
    this.#letDrag(handlers);
    this.#resized();
    // Sigma watches the window; panes change their sizes without it.
    this.#watch = new ResizeObserver(() => this.#sigma.resize());
    this.#watch.observe(container);
  }

  /** Draw a moment; terms that were not there before grow from the ones they belong to. */
  show(scene: Scene, calm: boolean): void {
    const before = this.#terms;
    this.#scene = scene;
    this.#terms = new Map(scene.terms.map((term) => [term.key, term]));
    this.#facts = new Map(scene.facts.map((fact) => [String(fact.id), fact]));
    this.#shared = sharedLines(scene.facts);
    this.#loops = loopsOf(scene.facts);
    this.#look();
    for (const { key, at } of scene.terms) {
      if (!this.#graph.hasNode(key)) this.#graph.addNode(key, { x: at.x, y: at.y });
    }
    for (const { id, source, target, reverse, ahead } of scene.facts) {
      // What is only previewed is dashed, which the layer below draws.
      if (ahead || this.#graph.hasEdge(String(id)) || !this.#graph.hasNode(source) || !this.#graph.hasNode(target))
        continue;
      // The arrow shows which way the fact itself points, whichever way it was followed.
      const [from, to] = reverse ? [target, source] : [source, target];
      this.#graph.addEdgeWithKey(String(id), from, to);
    }
    const fresh = scene.terms.filter(({ key }) => !before.has(key));
    const moved = scene.terms.some(({ key, at }) => {
      const then = before.get(key)?.at;
      return then !== undefined && (then.x !== at.x || then.y !== at.y);
    });
    if (fresh.length > 0 || before.size !== this.#terms.size) this.#grow(before.size > 0 ? fresh : [], calm);
    else if (moved) this.#grow([], true, this.#box);
    else this.#sigma.refresh({ skipIndexation: true });
  }

  /** Draw in other colours. */
  recolour(colours: Colours): void {
    this.#colours = colours;
    this.#look();
    this.#sigma.refresh({ skipIndexation: true });
  }

  /** Show the whole again. */
  fit(calm: boolean): void {
    void this.#sigma.getCamera().animatedReset({ duration: calm ? 0 : GROWTH });
    this.#grow([], true, this.#boxOf(this.#scene.extent));
  }

  /** What is in sight; null before anything was drawn. */
  sight(): Sight | null {
    const { x, y, ratio } = this.#sigma.getCamera();
    return this.#box && { box: this.#box, camera: { x, y, ratio } };
  }

  /** Look at what was in sight once. */
  look({ box, camera }: Sight): void {
    this.#sigma.getCamera().setState(camera);
    this.#grow([], true, box);
  }

  /** Zoom in if `nearer`, otherwise out. */
  zoom(nearer: boolean, calm: boolean): void {
    const camera = this.#sigma.getCamera();
    const ratio = camera.getBoundedRatio(camera.ratio * (nearer ? 1 / ZOOM : ZOOM));
    void camera.animate({ ratio }, { duration: calm ? 0 : GROWTH });
  }

  /** Look further to a side: 1 or -1 across, and down. */
  pan(across: number, down: number, calm: boolean): void {
    const { width, height } = this.#sigma.getDimensions();
    const camera = this.#sigma.getCamera();
    const from = this.#sigma.viewportToFramedGraph({ x: 0, y: 0 });
    const to = this.#sigma.viewportToFramedGraph({ x: across * width * PAN, y: down * height * PAN });
    const state = { x: camera.x + to.x - from.x, y: camera.y + to.y - from.y };
    void camera.animate(state, { duration: calm ? 0 : GROWTH });
  }

  /** What is in sight, as shapes. */
  picture(caption: string): Picture {
    const { width, height } = this.#sigma.getDimensions();
    const font = this.#font;
    const inSight = ({ x, y, radius }: Seen) => x > -radius && y > -radius && x < width + radius && y < height + radius;
    const terms = this.#scene.terms
      .map((term) => ({ term, look: this.#termLooks.get(term.key), seen: this.#seen(term.key) }))
      .sort((one, other) => Number(one.look?.front) - Number(other.look?.front));
    const circles = terms.flatMap(({ term, look, seen }): Shape[] => {
      if (!look || !seen || !inSight(seen)) return [];
      const border = Math.min(look.border, seen.radius * 0.45);
      return [
        {
          kind: 'circle',
          at: seen,
          radius: seen.radius - border / 2,
          fill: look.fill,
          stroke: look.borderColour,
          width: border,
          title: term.label,
        },
      ];
    });
    const above = this.#shapesAbove();
    return {
      width,
      height,
      ground: this.#colours.surface,
      font,
      caption,
      captionColour: this.#colours.quiet,
      shapes: [...this.#lines(), ...this.#shapesBeneath(), ...circles, ...above],
    };
  }

  /** Give up the drawing. */
  end(): void {
    cancelAnimationFrame(this.#growing);
    this.#watch.disconnect();
    this.#sigma.kill();
  }

  #look(): void {
    const looks = new Looks(this.#scene, this.#colours, this.#sigma.getDimensions());
    this.#termLooks = new Map(this.#scene.terms.map((term) => [term.key, looks.term(term)]));
    this.#factLooks = new Map(this.#scene.facts.map((fact) => [String(fact.id), looks.fact(fact)]));
    const rank = ({ key }: SceneTerm) => this.#termLooks.get(key)?.rank ?? 0;
    this.#named = this.#scene.terms
      .filter(({ key }) => this.#termLooks.get(key)?.label)
      .sort((one, other) => rank(other) - rank(one));
    this.#isCrowded = this.#named.filter((term) => rank(term) > 0).length > FEW_NAMES;
  }

  /** A term follows the pointer that took it, and stays where it is let go. */
  #letDrag({ onselect, onpin }: DrawingHandlers): void {
    let dragged: string | null = null;
    let start: Point = { x: 0, y: 0 };
    let moved = false;
    this.#sigma.on('downNode', ({ node, event, preventSigmaDefault }) => {
      moved = false;
      if (this.#terms.get(node)?.ahead) return;
      dragged = node;
      start = { x: event.x, y: event.y };
      preventSigmaDefault();
    });
    this.#sigma.on('moveBody', ({ event, preventSigmaDefault }) => {
      if (dragged === null) return;
      preventSigmaDefault();
      event.original.preventDefault();
      // A hand that clicks is never quite still.
      if (!moved && Math.hypot(event.x - start.x, event.y - start.y) < CLICK) return;
      moved = true;
      this.#graph.mergeNodeAttributes(dragged, this.#sigma.viewportToGraph(event));
    });
    const letGo = () => {
      const key = dragged;
      dragged = null;
      if (key === null || !moved) return;
      const { x, y } = this.#graph.getNodeAttributes(key) as Point;
      onpin(key, { x: x / this.#stretch, y: -y });
    };
    this.#sigma.on('upNode', letGo);
    this.#sigma.on('upStage', letGo);
    this.#sigma.on('clickNode', ({ node, event: { original } }) => {
      if (!moved) onselect(node, original.shiftKey || original.ctrlKey || original.metaKey);
      moved = false;
    });
  }

  #grow(fresh: readonly SceneTerm[], calm: boolean, wanted?: Box | null): void {
    cancelAnimationFrame(this.#growing);
    const from = this.#box;
    // A view that the user chose stays.
    const to = wanted ?? (from && this.#isMoved() ? from : this.#boxOf(this.#scene.extent));
    const starts = new Map(
      fresh.map(({ key, origin }) => [
        key,
        origin && this.#graph.hasNode(origin) ? this.#pointOf(this.#terms.get(origin)) : null,
      ]),
    );
    // Whatever was still under way arrives now.
    for (const term of this.#scene.terms) if (!starts.has(term.key)) this.#put(term, this.#pointOf(term));
    const began = performance.now();
    const atOnce = calm || from === null || this.#terms.size > VAST;
    const frame = (time: number) => {
      const share = atOnce ? 1 : Math.min(1, Math.max(0, (time - began) / GROWTH));
      const eased = 1 - (1 - share) ** 3;
      for (const term of fresh) {
        const start = starts.get(term.key);
        const end = this.#pointOf(term);
        this.#put(term, start ? { x: interpolate(start.x, end.x, eased), y: interpolate(start.y, end.y, eased) } : end);
      }
      this.#box = from ? mixBox(from, to, eased) : to;
      this.#sigma.setCustomBBox({ x: [...this.#box.x], y: [...this.#box.y] });
      this.#sigma.refresh();
      if (share < 1) this.#growing = requestAnimationFrame(frame);
    };
    frame(began);
  }

  /** Whether the user zoomed or panned. */
  #isMoved(): boolean {
    const { x, y, ratio } = this.#sigma.getCamera();
    return x !== 0.5 || y !== 0.5 || ratio !== 1;
  }

  #pointOf(term: SceneTerm | undefined): Point {
    return term ? this.#stretched(term.at) : { x: 0, y: 0 };
  }

  #stretched({ x, y }: Point): Point {
    return { x: x * this.#stretch, y: -y };
  }

  #boxOf(extent: readonly Point[]): Box {
    const points = extent.map((point) => this.#stretched(point));
    return { x: span(points.map(({ x }) => x)), y: span(points.map(({ y }) => y)) };
  }

  #put({ key }: SceneTerm, { x, y }: Point): void {
    this.#graph.mergeNodeAttributes(key, { x, y });
  }

  #nodeData(node: string): Partial<NodeDisplayData> & Record<string, unknown> {
    const look = this.#termLooks.get(node);
    if (!look) return { hidden: true };
    const vast = this.#terms.size > VAST;
    return {
      type: vast ? 'point' : 'dot',
      size: look.radius,
      color: vast ? look.borderColour : look.fill,
      border: look.border,
      borderColour: look.borderColour,
      zIndex: look.front ? 2 : 1,
    };
  }

  #edgeData(edge: string): Partial<EdgeDisplayData> {
    const look = this.#factLooks.get(edge);
    // What is dashed, the layer below draws.
    if (!look || look.dashed) return { hidden: true };
    return {
      type: this.#facts.size > VAST ? 'thin' : 'arrow',
      size: look.width,
      color: translucent(look.colour, look.alpha),
      zIndex: look.front ? 1 : 0,
    };
  }

  #resized(): void {
    const { width, height } = this.#sigma.getDimensions();
    this.#stretch = Math.min(2, Math.max(0.7, (0.7 * width) / Math.max(1, height)));
    this.#sigma.setSetting('stagePadding', Math.min(width < NARROW ? 72 : 36, height / 6));
    const ratio = window.devicePixelRatio || 1;
    for (const context of [this.#beneath, this.#above]) {
      context.canvas.width = width * ratio;
      context.canvas.height = height * ratio;
      context.canvas.style.width = `${width}px`;
      context.canvas.style.height = `${height}px`;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.#look();
    this.#grow([], true, this.#boxOf(this.#scene.extent));
  }

  #drawShapes(): void {
    const { width, height } = this.#sigma.getDimensions();
    this.#beneath.clearRect(0, 0, width, height);
    paint(this.#beneath, this.#shapesBeneath(), this.#font);
    this.#above.clearRect(0, 0, width, height);
    paint(this.#above, this.#shapesAbove(), this.#font);
  }

  /** Where a term is drawn. */
  #seen(key: string): Seen | null {
    const data = this.#sigma.getNodeDisplayData(key);
    if (!data || data.hidden) return null;
    const { x, y } = this.#sigma.framedGraphToViewport(data);
    return { x, y, radius: this.#sigma.scaleSize(data.size) };
  }

  /** The lines that sigma draws. */
  #lines(): readonly Shape[] {
    const lines = this.#scene.facts.flatMap((fact): (Shape & { readonly front: boolean })[] => {
      const look = this.#factLooks.get(String(fact.id));
      const [from, to] = fact.reverse
        ? [this.#seen(fact.target), this.#seen(fact.source)]
        : [this.#seen(fact.source), this.#seen(fact.target)];
      if (!look || look.dashed || !from || !to) return [];
      const length = Math.hypot(to.x - from.x, to.y - from.y);
      const share = length > 0 ? Math.max(0, 1 - to.radius / length) : 1;
      const end = { x: interpolate(from.x, to.x, share), y: interpolate(from.y, to.y, share) };
      const { colour, alpha, width, front } = look;
      return [{ kind: 'line', from, to: end, colour, alpha, width, dashed: false, arrow: true, front }];
    });
    return lines.sort((one, other) => Number(one.front) - Number(other.front));
  }

  #shapesBeneath(): readonly Shape[] {
    if (this.#facts.size > VAST) return [];
    const shapes: Shape[] = [];
    for (const fact of this.#scene.facts) {
      const look = this.#factLooks.get(String(fact.id));
      if (!look?.dashed) continue;
      const [from, to] = [this.#seen(fact.source), this.#seen(fact.target)];
      const { colour, alpha, width } = look;
      if (from && to) shapes.push({ kind: 'line', from, to, colour, alpha, width, dashed: true, arrow: false });
    }
    for (const [key, facts] of this.#loops) {
      const at = this.#seen(key);
      const look = this.#factLooks.get(String(facts.at(-1)?.id));
      if (!at || !look) continue;
      const beyond = at.radius + 0.6 * LOOP;
      const middle = { x: at.x + 0.7 * beyond, y: at.y - 0.7 * beyond };
      shapes.push({ kind: 'circle', at: middle, radius: LOOP, fill: null, stroke: look.colour, width: look.width });
    }
    const { marked, gold } = this.#scene;
    const ring = (key: string, away: number, stroke: string) => {
      const at = this.#seen(key);
      if (at) shapes.push({ kind: 'circle', at, radius: at.radius + away, fill: null, stroke, width: 2 });
    };
    for (const key of marked) ring(key, RING, this.#colours.accent);
    for (const key of gold) ring(key, marked.has(key) ? 2 * RING : RING, this.#colours.gold);
    return shapes;
  }

  #shapesAbove(): readonly Shape[] {
    // From afar the names of a vast scene are not readable, and looking for room among all of them takes time.
    const isFar = this.#terms.size > VAST && this.#sigma.getCamera().ratio > NEAR;
    const names = this.#lettering.shapes({
      ...this.#sigma.getDimensions(),
      scene: this.#scene,
      named: isFar ? this.#named.filter(({ key }) => (this.#termLooks.get(key)?.rank ?? 0) > 0) : this.#named,
      isFar,
      isCrowded: this.#isCrowded,
      colours: this.#colours,
      termLook: (key) => this.#termLooks.get(key),
      factLook: (key) => this.#factLooks.get(key),
      seen: (key) => this.#seen(key),
    });
    return isFar ? names : [...names, ...this.#counts()];
  }

  /** How many facts lie on one line, or form one loop. Those of the term in focus have their names instead. */
  #counts(): readonly Shape[] {
    const { focus } = this.#scene;
    const shared = this.#shared
      .filter(({ ends }) => !ends.some((key) => key === focus))
      .map(({ ends: [one, other], facts }) => ({ from: this.#seen(one), to: this.#seen(other), facts }));
    const loops = [...this.#loops]
      .filter(([, facts]) => facts.length > 1)
      .map(([key, facts]) => {
        const at = this.#seen(key);
        const away = at && 2 * (at.radius + 2 * LOOP);
        return {
          from: at,
          to: at && away !== null ? { ...at, x: at.x + 0.7 * away, y: at.y - 0.7 * away } : null,
          facts,
        };
      });
    return [...shared, ...loops].flatMap(({ from, to, facts }): Shape[] => {
      if (!from || !to) return [];
      const at = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
      const text = plural(facts.length, 'fact');
      const { quiet: colour, surface: halo } = this.#colours;
      return [{ kind: 'text', at, text, size: COUNT_SIZE, weight: 400, align: 'center', colour, halo }];
    });
  }
}

function span(values: readonly number[]): readonly [number, number] {
  const least = values.reduce((one, other) => Math.min(one, other), 0);
  const most = values.reduce((one, other) => Math.max(one, other), 0);
  const spare = Math.max(0, SMALLEST_SPAN - (most - least)) / 2;
  return [least - spare, most + spare];
}

function mixBox(from: Box, to: Box, share: number): Box {
  return {
    x: [interpolate(from.x[0], to.x[0], share), interpolate(from.x[1], to.x[1], share)],
    y: [interpolate(from.y[0], to.y[0], share), interpolate(from.y[1], to.y[1], share)],
  };
}
