/** What a link restores beside the run: step, selection, answer, panes, graph or table, what is hidden and pinned. */
import type { Point } from './layout';

/** The sizes of the panes: the two side columns in pixels, the structure in per cent of the middle. */
export interface Panes {
  readonly left: number;
  readonly right: number;
  /** Null gives the structure the room that it needs. */
  readonly top: number | null;
}

/** The panes that can have the whole room. */
const WHOLE_PANES = ['decisions', 'structure', 'facts', 'options'] as const;

export type Pane = (typeof WHOLE_PANES)[number];

/** The panes at the sides, which can be folded to a strip. */
const SIDE_PANES = ['decisions', 'options'] as const;

export type SidePane = (typeof SIDE_PANES)[number];

/** What is looked at. */
export interface View {
  /** Counts from 0; null follows the run. */
  readonly step: number | null;
  /** A position of S_k ("2") or a term at one ("2:en.kitt"). */
  readonly node: string | null;
  /** The index of the chosen answer. */
  readonly answer: number;
  /** The index of the proof that is shown, where an answer has several. */
  readonly proof: number;
  readonly facts: 'graph' | 'table';
  /** Which half is shown where there is room for one only. */
  readonly tab: 'steps' | 'graphs';
  readonly panes: Panes;
  /** The pane that has the whole room; null where they share it. */
  readonly whole: Pane | null;
  /** The side panes that a user folded or opened; the others fold when they are empty. */
  readonly folds: Readonly<Partial<Record<SidePane, boolean>>>;
  /** What of the facts is not shown: positions ("2"), and what conditions took out (`TAKEN_OUT`). */
  readonly hidden: ReadonlySet<string>;
  /** Positions of the terms of G_k that a user moved. */
  readonly pins: ReadonlyMap<string, Point>;
}

/** What stands in `View.hidden` for the facts that conditions took out. */
export const TAKEN_OUT = 'out';

/** The sizes until someone drags a border. */
export const PANES: Panes = { left: 304, right: 320, top: null };

/** What is looked at until someone chooses. */
export const VIEW: View = {
  step: null,
  node: null,
  answer: 0,
  proof: 0,
  facts: 'graph',
  tab: 'steps',
  panes: PANES,
  whole: null,
  folds: {},
  hidden: new Set(),
  pins: new Map(),
};

/** The view that a query string names; whatever it cannot mean is as if absent. */
export function readView(search: string): View {
  const query = new URLSearchParams(search);
  const [left, right, top] = (query.get('panes') ?? '').split('-').map(whole);
  return {
    step: fromOne(query.get('step')),
    node: query.get('node'),
    answer: fromOne(query.get('answer')) ?? 0,
    proof: fromOne(query.get('proof')) ?? 0,
    facts: query.get('facts') === 'table' ? 'table' : 'graph',
    tab: query.get('tab') === 'graphs' ? 'graphs' : 'steps',
    panes: {
      left: within(left ?? PANES.left, 220, 480),
      right: within(right ?? PANES.right, 240, 520),
      top: top === null || top === undefined ? null : within(top, 20, 75),
    },
    whole: WHOLE_PANES.find((pane) => pane === query.get('pane')) ?? null,
    folds: foldsOf(new Set(query.getAll('fold'))),
    hidden: new Set(query.getAll('hide').filter((each) => each === TAKEN_OUT || whole(each) !== null)),
    pins: new Map(query.getAll('pin').flatMap(pinOf)),
  };
}

/** The query string of a view, "" where nothing differs from the start; what reads back as the same view. */
export function writeView(view: View): string {
  const query = new URLSearchParams();
  if (view.step !== null) query.set('step', String(view.step + 1));
  if (view.node !== null) query.set('node', view.node);
  if (view.answer > 0) query.set('answer', String(view.answer + 1));
  if (view.proof > 0) query.set('proof', String(view.proof + 1));
  if (view.facts === 'table') query.set('facts', 'table');
  if (view.tab === 'graphs') query.set('tab', 'graphs');
  const { left, right, top } = view.panes;
  if (left !== PANES.left || right !== PANES.right || top !== null) {
    query.set('panes', [left, right, ...(top === null ? [] : [top])].join('-'));
  }
  if (view.whole !== null) query.set('pane', view.whole);
  for (const [pane, folded] of Object.entries(view.folds)) query.append('fold', folded ? pane : `-${pane}`);
  for (const each of view.hidden) query.append('hide', each);
  for (const [key, { x, y }] of view.pins) query.append('pin', `${x},${y},${key}`);
  // A colon is allowed in a query string, and reads better than %3A in a shared link.
  const text = query.toString().replaceAll('%3A', ':');
  return text ? `?${text}` : '';
}

/** The position that a selection stands at. */
export function selectedPosition(node: string | null): number | null {
  return node === null ? null : whole(node.split(':', 1)[0] ?? '');
}

/** A point as an address keeps it: rounded to a hundredth, which is not visible. */
export function rounded({ x, y }: Point): Point {
  return { x: Math.round(x * 100) / 100, y: Math.round(y * 100) / 100 };
}

/** A value kept between two bounds. */
export function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function foldsOf(wanted: ReadonlySet<string>): View['folds'] {
  const named = SIDE_PANES.filter((pane) => wanted.has(pane) || wanted.has(`-${pane}`));
  return Object.fromEntries(named.map((pane) => [pane, wanted.has(pane)]));
}

/** People count steps, answers and proofs from 1. */
function fromOne(text: string | null): number | null {
  const value = whole(text ?? '');
  return value === null || value === 0 ? null : value - 1;
}

function pinOf(text: string): readonly [string, Point][] {
  const [, x, y, key] = /^(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?),(.+)$/s.exec(text) ?? [];
  return key === undefined ? [] : [[key, { x: Number(x), y: Number(y) }]];
}

function whole(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null;
}
