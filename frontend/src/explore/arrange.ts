/** The positions of all nodes after a new arrangement. Pinned nodes stay where they are. */
import { hierarchy, pack, stratify, tree } from 'd3-hierarchy';
import { MultiGraph } from 'graphology';
import forceAtlas2 from 'graphology-layout-forceatlas2';

import { kindOf, type Arrangement, type Tables } from '../core/drawing/exploration';
import type { Point } from '../core/drawing/layout';

/** How long a line should be. */
const LENGTH = 2.1;
/** The room of a level of a tree, and of a node within it. */
const LEVEL = 3.4;
const ROW = 0.85;
/** The radius of the room of a node among others of its kind, and what lies between two kinds. */
const ROOM = 0.55;
const BETWEEN = 1.2;
/** ForceAtlas2 keeps larger distances than ours. */
const FORCE_SCALE = 20;
/** The room of a node for it. */
const SIZE = 8;
/** Number of steps that are computed for a small drawing, and for one of thousands of nodes. */
const STEPS = 300;
const FEWEST_STEPS = 40;

/** The new place of each node that may move. */
export function arranged(tables: Tables, arrangement: Arrangement): ReadonlyMap<string, Point> {
  const points = { force: byForce, tree: asTree, kinds: byKind }[arrangement](tables);
  return new Map([...points].filter(([key]) => !tables.pinned.has(key)));
}

function byForce(tables: Tables): ReadonlyMap<string, Point> {
  const graph = new MultiGraph();
  let turn = 0;
  for (const key of tables.nodes.keys()) {
    const at = tables.places.get(key) ?? { x: 0, y: 0 };
    // Two nodes in one spot would stay there.
    turn += 1;
    graph.addNode(key, {
      x: at.x * FORCE_SCALE + Math.cos(turn),
      y: at.y * FORCE_SCALE + Math.sin(turn),
      size: SIZE,
      fixed: tables.pinned.has(key),
    });
  }
  for (const { source, target } of tables.facts.values()) graph.addEdge(source, target);
  const iterations = Math.max(FEWEST_STEPS, Math.min(STEPS, Math.round(120_000 / Math.max(1, graph.order))));
  const settings = {
    ...forceAtlas2.inferSettings(graph),
    barnesHutOptimize: graph.order > 500,
    // Without it, all that hangs on a hub alone stands in one thin ring.
    adjustSizes: true,
    gravity: 0.4,
    scalingRatio: 60,
    strongGravityMode: false,
  };
  const found = forceAtlas2(graph, { iterations, settings });
  let sum = 0;
  for (const { source, target } of tables.facts.values()) {
    const [one, other] = [found[source], found[target]];
    if (one && other) sum += Math.hypot(one.x - other.x, one.y - other.y);
  }
  const mean = sum / Math.max(1, tables.facts.size);
  const scale = tables.pinned.size > 0 || mean === 0 ? 1 / FORCE_SCALE : LENGTH / mean;
  return new Map(Object.entries(found).map(([key, { x, y }]) => [key, { x: x * scale, y: y * scale }]));
}

interface Branch {
  readonly key: string;
  readonly parent: string | null;
}

/** From left to right, each node beside the one that it grew from. */
function asTree(tables: Tables): ReadonlyMap<string, Point> {
  if (tables.nodes.size === 0) return new Map();
  // An identifier that no node has: the trees of all roots hang on it.
  const root = '\n';
  const branches: Branch[] = [{ key: root, parent: null }];
  for (const key of tables.nodes.keys()) {
    const origin = tables.origins.get(key);
    branches.push({ key, parent: origin !== undefined && tables.nodes.has(origin) ? origin : root });
  }
  const whole = stratify<Branch>()
    .id(({ key }) => key)
    .parentId(({ parent }) => parent)(branches);
  const laid = tree<Branch>().nodeSize([ROW, LEVEL])(whole);
  const nodes = laid.descendants().filter(({ data }) => data.key !== root);
  // Many branches make a high tree: one that is not wide as well would be a single line to the eye.
  const high =
    nodes.reduce((most, { x }) => Math.max(most, x), 0) - nodes.reduce((least, { x }) => Math.min(least, x), 0);
  const apart = Math.max(LEVEL, high / Math.max(1, laid.height - 1));
  return new Map(nodes.map(({ data, x, depth }) => [data.key, { x: (depth - 1) * apart, y: x }]));
}

interface Heap {
  readonly key?: string;
  readonly children?: readonly Heap[];
}

/** Those of a kind together, in a circle. */
function byKind(tables: Tables): ReadonlyMap<string, Point> {
  const kinds = new Map<string, Heap[]>();
  for (const [key, node] of tables.nodes) {
    const { id } = kindOf(node);
    const heap = kinds.get(id);
    if (heap) heap.push({ key });
    else kinds.set(id, [{ key }]);
  }
  const whole = hierarchy<Heap>({ children: [...kinds.values()].map((children) => ({ children })) });
  const packed = pack<Heap>()
    .radius(() => ROOM)
    .padding(({ depth }) => (depth === 0 ? BETWEEN : 0))(whole.sum(() => 1));
  return new Map(packed.leaves().flatMap(({ data, x, y }) => (data.key === undefined ? [] : [[data.key, { x, y }]])));
}
