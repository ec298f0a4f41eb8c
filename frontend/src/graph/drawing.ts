/**
 * Facts drawn by sigma. The graph holds the facts as they are; what is shown of them, and how, is said by reducers, so
 * that going from one moment to another changes appearance alone.
 */
import { createNodeBorderProgram } from '@sigma/node-border';
import { MultiDirectedGraph } from 'graphology';
import Sigma from 'sigma';
import { EdgeArrowProgram, type NodeLabelDrawingFunction } from 'sigma/rendering';
import type { EdgeDisplayData, NodeDisplayData } from 'sigma/types';

import type { Point } from '../core/layout';
import { letterOf } from '../core/palette';
import type { Scene, SceneFact, SceneTerm } from './scene';

/** The theme's colours. */
export interface Colours {
  readonly surface: string;
  readonly ink: string;
  readonly quiet: string;
  readonly line: string;
  readonly accent: string;
  readonly node: (group: number) => string;
  readonly letter: (group: number) => string;
}

const GROWTH = 240;
const NARROW = 520;
/** So many terms can all bear their names. */
const FEW = 26;
/** A drawing of a few terms does not fill the pane with them. */
const SMALLEST_SPAN = 5;

interface Box {
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

export class FactsDrawing {
  readonly #graph = new MultiDirectedGraph();
  readonly #sigma: Sigma;
  /** Dashes and rings, under the terms. */
  readonly #beneath: CanvasRenderingContext2D;
  /** The letters, on them. */
  readonly #letters: CanvasRenderingContext2D;
  readonly #font: string;
  readonly #watch: ResizeObserver;
  #colours: Colours;
  #scene: Scene = { terms: [], facts: [], marked: new Set(), focus: null };
  #terms: ReadonlyMap<string, SceneTerm> = new Map();
  #facts: ReadonlyMap<string, SceneFact> = new Map();
  /** The marked terms, and those beside the one in focus. */
  #near: ReadonlySet<string> = new Set();
  /** How much wider than high the drawing is, for panes that are. */
  #stretch = 1;
  /** Whether names at the sides would be cut. */
  #narrow = false;
  /** How many of the terms are not taken out. */
  #kept = 0;
  #box: Box | null = null;
  #growing = 0;

  constructor(
    container: HTMLElement,
    colours: Colours,
    told: { onselect: (key: string | null) => void; onpoint: (key: string | null) => void },
  ) {
    this.#colours = colours;
    const font = getComputedStyle(container).fontFamily;
    this.#font = font;
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
      },
      defaultEdgeType: 'arrow',
      edgeProgramClasses: { arrow: EdgeArrowProgram },
      labelFont: font,
      edgeLabelFont: font,
      edgeLabelSize: 11,
      renderEdgeLabels: true,
      labelDensity: 1,
      labelGridCellSize: 130,
      labelRenderedSizeThreshold: 0,
      minEdgeThickness: 1.7,
      stagePadding: 36,
      zIndex: true,
      minCameraRatio: 0.08,
      maxCameraRatio: 3,
      defaultDrawNodeLabel: this.#drawLabel,
      defaultDrawNodeHover: this.#drawLabel,
      nodeReducer: (node, at) => ({ ...at, ...this.#nodeLook(node) }),
      edgeReducer: (edge) => this.#edgeLook(edge),
    });
    const layer = (id: string, where: { beforeLayer: string } | { afterLayer: string }) =>
      this.#sigma.createCanvas(id, where).getContext('2d') as CanvasRenderingContext2D;
    this.#beneath = layer('beneath', { beforeLayer: 'nodes' });
    this.#letters = layer('letters', { afterLayer: 'nodes' });
    this.#sigma.on('resize', () => this.#resized());
    this.#sigma.on('afterRender', () => {
      this.#drawBeneath();
      this.#drawLetters();
    });
    this.#sigma.on('clickNode', ({ node }) => told.onselect(node));
    this.#sigma.on('clickStage', () => told.onselect(null));
    this.#sigma.on('enterNode', ({ node }) => told.onpoint(node));
    this.#sigma.on('leaveNode', () => told.onpoint(null));
    this.#resized();
    // Sigma watches the window; panes change their sizes without it.
    this.#watch = new ResizeObserver(() => this.#sigma.resize());
    this.#watch.observe(container);
  }

  /** Draw a moment; terms that were not there before grow from the ones they belong to. */
  show(scene: Scene, calm: boolean): void {
    const before = this.#terms;
    this.#scene = scene;
    this.#kept = scene.terms.reduce((count, { removed }) => count + (removed ? 0 : 1), 0);
    this.#terms = new Map(scene.terms.map((term) => [term.key, term]));
    this.#facts = new Map(scene.facts.map((fact) => [String(fact.id), fact]));
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
    this.#near = nearOf(scene);
    if (fresh.length > 0 || before.size !== this.#terms.size) this.#grow(before.size > 0 ? fresh : [], calm);
    else this.#sigma.refresh({ skipIndexation: true });
  }

  /** Draw in other colours. */
  recolour(colours: Colours): void {
    this.#colours = colours;
    this.#sigma.refresh({ skipIndexation: true });
  }

  /** Show the whole again. */
  fit(calm: boolean): void {
    void this.#sigma.getCamera().animatedReset({ duration: calm ? 0 : GROWTH });
  }

  /** Give up the drawing. */
  end(): void {
    cancelAnimationFrame(this.#growing);
    this.#watch.disconnect();
    this.#sigma.kill();
  }

  #grow(fresh: readonly SceneTerm[], calm: boolean): void {
    cancelAnimationFrame(this.#growing);
    const from = this.#box;
    const to = this.#boxOf(this.#scene.terms);
    const starts = new Map(
      fresh.map(({ key, origin }) => [
        key,
        origin && this.#graph.hasNode(origin) ? this.#pointOf(this.#terms.get(origin)) : null,
      ]),
    );
    // Whatever was still under way arrives now.
    for (const term of this.#scene.terms) if (!starts.has(term.key)) this.#put(term, this.#pointOf(term));
    const began = performance.now();
    const frame = (time: number) => {
      const share = calm || from === null ? 1 : Math.min(1, Math.max(0, (time - began) / GROWTH));
      const eased = 1 - (1 - share) ** 3;
      for (const term of fresh) {
        const start = starts.get(term.key);
        const end = this.#pointOf(term);
        this.#put(term, start ? { x: mix(start.x, end.x, eased), y: mix(start.y, end.y, eased) } : end);
      }
      this.#box = from ? mixBox(from, to, eased) : to;
      this.#sigma.setCustomBBox({ x: [...this.#box.x], y: [...this.#box.y] });
      this.#sigma.refresh();
      if (share < 1) this.#growing = requestAnimationFrame(frame);
    };
    frame(began);
  }

  #pointOf(term: SceneTerm | undefined): Point {
    return term ? { x: term.at.x * this.#stretch, y: -term.at.y } : { x: 0, y: 0 };
  }

  #boxOf(terms: readonly SceneTerm[]): Box {
    const points = terms.map((term) => this.#pointOf(term));
    return { x: span(points.map(({ x }) => x)), y: span(points.map(({ y }) => y)) };
  }

  #put({ key }: SceneTerm, { x, y }: Point): void {
    this.#graph.mergeNodeAttributes(key, { x, y });
  }

  #nodeLook(node: string): Partial<NodeDisplayData> & Record<string, unknown> {
    const term = this.#terms.get(node);
    if (!term) return { hidden: true };
    const { ink, surface, quiet } = this.#colours;
    const colour = term.removed ? this.#colours.line : this.#colours.node(term.group);
    if (term.ahead) return this.#aheadLook(term);
    const isMarked = this.#scene.marked.has(node);
    const beside = this.#near.size === 0 || this.#near.has(node);
    const many = this.#terms.size;
    const kept = term.removed ? many : this.#kept;
    const full = term.centre ? 11 : many <= 40 ? 9 : many <= 120 ? 6.5 : 4.5;
    const size = term.hollow || term.removed ? Math.max(3.5, full * 0.7) : full;
    return {
      size,
      color: term.hollow || term.removed ? surface : colour,
      border: term.removed ? 1.2 : 2,
      borderColour: colour,
      label: term.hollow || (this.#narrow && term.removed && !isMarked) ? '' : term.label,
      labelColour: term.removed || !beside ? quiet : ink,
      halo: surface,
      left: term.at.x < -0.3,
      beneath: term.centre,
      marked: isMarked,
      forceLabel: term.centre || isMarked || kept <= FEW || (this.#near.has(node) && this.#near.size < 40),
      zIndex: isMarked ? 2 : term.removed ? 0 : 1,
    };
  }

  /** A term that a previewed option would add: empty, in the accent's colour. */
  #aheadLook(term: SceneTerm): Partial<NodeDisplayData> & Record<string, unknown> {
    const { accent, surface, ink } = this.#colours;
    return {
      size: term.hollow ? 5 : 7,
      color: surface,
      border: 1.6,
      borderColour: accent,
      label: term.hollow ? '' : term.label,
      labelColour: ink,
      halo: surface,
      left: term.at.x < -0.3,
      beneath: false,
      marked: false,
      forceLabel: true,
      zIndex: 3,
    };
  }

  #edgeLook(edge: string): Partial<EdgeDisplayData> {
    const fact = this.#facts.get(edge);
    // What was taken out is dashed, which the layer below draws.
    if (!fact || fact.removed || fact.ahead) return { hidden: true };
    const { focus } = this.#scene;
    const beside = focus !== null && (fact.source === focus || fact.target === focus);
    return {
      size: fact.highlighted ? 3 : 1.9,
      color: fact.highlighted ? this.#colours.accent : beside ? this.#colours.ink : this.#colours.line,
      label: beside ? fact.label : '',
      forceLabel: beside,
      zIndex: fact.highlighted || beside ? 1 : 0,
    };
  }

  readonly #drawLabel: NodeLabelDrawingFunction = (context, data, settings) => {
    if (!data.label) return;
    const { labelColour, halo, left, beneath, marked } = data as typeof data & {
      labelColour: string;
      halo: string;
      left: boolean;
      beneath: boolean;
      marked: boolean;
    };
    const text = data.label.length > 32 ? `${data.label.slice(0, 31)}…` : data.label;
    const x = beneath ? data.x : data.x + (left ? -1 : 1) * (data.size + (marked ? 9 : 6));
    const y = beneath ? data.y + data.size + (marked ? 14 : 10) : data.y;
    context.font = `500 12px ${settings.labelFont}`;
    context.textAlign = beneath ? 'center' : left ? 'right' : 'left';
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    context.lineWidth = 3.5;
    context.strokeStyle = halo;
    context.strokeText(text, x, y);
    context.fillStyle = labelColour;
    context.fillText(text, x, y);
    context.textAlign = 'left';
    context.textBaseline = 'alphabetic';
  };

  #resized(): void {
    const { width, height } = this.#sigma.getDimensions();
    this.#stretch = Math.min(2, Math.max(0.7, (0.7 * width) / Math.max(1, height)));
    this.#narrow = width < NARROW;
    this.#sigma.setSetting('stagePadding', Math.min(this.#narrow ? 72 : 36, height / 6));
    const ratio = window.devicePixelRatio || 1;
    for (const context of [this.#beneath, this.#letters]) {
      context.canvas.width = width * ratio;
      context.canvas.height = height * ratio;
      context.canvas.style.width = `${width}px`;
      context.canvas.style.height = `${height}px`;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.#grow([], true);
  }

  #drawBeneath(): void {
    const { width, height } = this.#sigma.getDimensions();
    const context = this.#beneath;
    context.clearRect(0, 0, width, height);
    context.strokeStyle = this.#colours.line;
    context.lineWidth = 1;
    context.setLineDash([4, 4]);
    this.#drawDashes(({ removed }) => removed);
    context.strokeStyle = this.#colours.accent;
    this.#drawDashes(({ ahead }) => ahead === true);
    context.setLineDash([]);
    context.lineWidth = 2;
    for (const key of this.#scene.marked) {
      const data = this.#sigma.getNodeDisplayData(key);
      if (!data || data.hidden) continue;
      const at = this.#sigma.framedGraphToViewport(data);
      context.beginPath();
      context.arc(at.x, at.y, this.#sigma.scaleSize(data.size) + 3.5, 0, 2 * Math.PI);
      context.stroke();
    }
  }

  #drawDashes(which: (fact: SceneFact) => boolean): void {
    const context = this.#beneath;
    context.beginPath();
    for (const fact of this.#scene.facts) {
      const { source, target } = fact;
      if (!which(fact) || !this.#graph.hasNode(source) || !this.#graph.hasNode(target)) continue;
      const from = this.#sigma.graphToViewport(this.#graph.getNodeAttributes(source) as Point);
      const to = this.#sigma.graphToViewport(this.#graph.getNodeAttributes(target) as Point);
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
    }
    context.stroke();
  }

  /** A term is never known by its colour alone, as long as there is room for a letter. */
  #drawLetters(): void {
    const { width, height } = this.#sigma.getDimensions();
    const context = this.#letters;
    context.clearRect(0, 0, width, height);
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (const { key, group, removed, hollow, ahead } of this.#scene.terms) {
      const data = this.#sigma.getNodeDisplayData(key);
      const size = data ? this.#sigma.scaleSize(data.size) : 0;
      if (!data || data.hidden || size < 5.5) continue;
      const at = this.#sigma.framedGraphToViewport(data);
      context.font = `700 ${Math.min(11, size * 1.1)}px ${this.#font}`;
      context.fillStyle = removed
        ? this.#colours.quiet
        : hollow || ahead
          ? this.#colours.ink
          : this.#colours.letter(group);
      context.fillText(letterOf(group), at.x, at.y + 0.5);
    }
  }
}

function nearOf({ facts, marked, focus }: Scene): ReadonlySet<string> {
  const near = new Set(marked);
  if (focus === null) return near;
  for (const { source, target } of facts) {
    if (source === focus) near.add(target);
    if (target === focus) near.add(source);
  }
  return near;
}

function span(values: readonly number[]): readonly [number, number] {
  const least = Math.min(...values, 0);
  const most = Math.max(...values, 0);
  const spare = Math.max(0, SMALLEST_SPAN - (most - least)) / 2;
  return [least - spare, most + spare];
}

function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

function mixBox(from: Box, to: Box, share: number): Box {
  return {
    x: [mix(from.x[0], to.x[0], share), mix(from.x[1], to.x[1], share)],
    y: [mix(from.y[0], to.y[0], share), mix(from.y[1], to.y[1], share)],
  };
}
