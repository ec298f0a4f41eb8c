/**
 * Draws one made-up graph with our drawing and with bare sigma, and measures both: for `tests/bench/bench_canvas.py`.
 *
 * Bare sigma is set up as in its own example of large graphs: nodes in clusters with a size, a colour and a label, all
 * settings as they come.
 */
import Graph from 'graphology';
import Sigma from 'sigma';

import { FactsDrawing } from '../src/graph/drawing';
import type { Colours } from '../src/graph/appearance';
import type { Scene, SceneFact, SceneTerm } from '../src/graph/scene';

/** What was measured, in milliseconds. */
interface Figures {
  readonly drawn: number;
  /** The median of the frames while it is moved to and fro. */
  readonly frame: number;
  /** From pointing at a term until it stands out. */
  readonly pointed: number | null;
}

declare global {
  interface Window {
    measureOurs: (size: number) => Promise<Figures>;
    measureBare: (size: number) => Promise<Figures>;
  }
}

const FRAMES = 30;
const PALETTE = ['#e69f00', '#0072b2', '#009e73', '#cc79a7', '#56b4e9', '#d55e00'];
const COLOURS: Colours = {
  surface: '#ffffff',
  ink: '#1b1c20',
  quiet: '#62656f',
  line: '#b6b9c4',
  accent: '#5b5bd6',
  node: (group) => PALETTE[group % PALETTE.length] ?? '#000000',
  letter: () => '#ffffff',
};

interface Made {
  readonly points: readonly { readonly x: number; readonly y: number; readonly cluster: number }[];
  readonly links: readonly (readonly [number, number])[];
}

/** Random numbers that are the same every time. */
function randomness(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** So many nodes in clusters, and as many edges, most within a cluster. */
function made(size: number): Made {
  const random = randomness();
  const clusters = Math.max(1, Math.round(Math.sqrt(size) / 4));
  const points = Array.from({ length: size }, (_, index) => {
    const cluster = index % clusters;
    const [angle, reach] = [random() * 2 * Math.PI, 8 * Math.sqrt(random())];
    const turn = (2 * Math.PI * cluster) / clusters;
    return {
      x: 40 * Math.cos(turn) + reach * Math.cos(angle),
      y: 40 * Math.sin(turn) + reach * Math.sin(angle),
      cluster,
    };
  });
  const links = Array.from({ length: size }, (_, index): readonly [number, number] => {
    const other = random() < 0.9 ? index % clusters : Math.floor(random() * size);
    return [other === index ? (index + 1) % size : other, index];
  });
  return { points, links };
}

function sceneOf({ points, links }: Made): Scene {
  const terms = points.map(({ x, y, cluster }, index): SceneTerm => ({
    key: `1:${index}`,
    group: cluster,
    label: `Node ${index}, in cluster ${cluster}`,
    hollow: false,
    centre: index === 0,
    origin: undefined,
    at: { x, y },
    removed: false,
    pinned: false,
  }));
  const facts = links.map(([source, target], id): SceneFact => ({
    id,
    source: `1:${source}`,
    target: `1:${target}`,
    label: 'linked',
    reverse: false,
    removed: false,
    highlighted: false,
  }));
  return { terms, facts, marked: new Set(), focus: null, path: new Set(), extent: points };
}

function nextFrame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

async function medianFrame(move: (index: number) => void): Promise<number> {
  const times: number[] = [];
  let before = await nextFrame();
  for (let index = 0; index < FRAMES; index += 1) {
    move(index);
    const now = await nextFrame();
    times.push(now - before);
    before = now;
  }
  return times.sort((a, b) => a - b)[Math.floor(FRAMES / 2)] ?? 0;
}

function emptied(): HTMLElement {
  const pane = document.getElementById('pane');
  if (!pane) throw new Error('the page has no pane');
  pane.replaceChildren();
  return pane;
}

async function untilDrawn(began: number): Promise<number> {
  await nextFrame();
  await nextFrame();
  return performance.now() - began;
}

window.measureOurs = async (size) => {
  const scene = sceneOf(made(size));
  const pane = emptied();
  const began = performance.now();
  const told = { onselect: () => undefined, onpoint: () => undefined, onpin: () => undefined };
  const drawing = new FactsDrawing(pane, COLOURS, told);
  drawing.show(scene, true);
  const drawn = await untilDrawn(began);
  const frame = await medianFrame((index) => drawing.pan(index % 2 === 0 ? 0.2 : -0.2, 0, true));
  const asked = performance.now();
  drawing.show({ ...scene, marked: new Set(['1:7']), focus: '1:7' }, true);
  const pointed = await untilDrawn(asked);
  drawing.end();
  return { drawn, frame, pointed };
};

window.measureBare = async (size) => {
  const { points, links } = made(size);
  const pane = emptied();
  const began = performance.now();
  const graph = new Graph();
  points.forEach(({ x, y, cluster }, index) =>
    graph.addNode(index, {
      x,
      y,
      size: 1.5,
      color: PALETTE[cluster % PALETTE.length],
      label: `Node ${index}, in cluster ${cluster}`,
    }),
  );
  links.forEach(([source, target]) => graph.mergeEdge(source, target));
  const sigma = new Sigma(graph, pane);
  const drawn = await untilDrawn(began);
  const camera = sigma.getCamera();
  const frame = await medianFrame((index) => camera.setState({ x: 0.5 + (index % 2 === 0 ? 0.05 : -0.05) }));
  sigma.kill();
  return { drawn, frame, pointed: null };
};
