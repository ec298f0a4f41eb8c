/** The geometry of S_k's drawing: pixels for the cells of its tree, edges between them, room around them. */
import type { NodeState } from '../events/run';
import type { Cell } from './tree';

export const RADIUS = 15;
/** Of a node that holds mediators. */
export const SMALL_RADIUS = 11;
const COLUMN = 208;
const ROW = 104;
/** Where an edge turns down: beside its parent's words, not through them. */
const TURN = 84;
const MARGIN = { x: 78, top: 46, bottom: 66 };
/** The height of a condition above its node. */
export const CONDITION_ROW = 23;
/** A structure that asks for more than this is scrolled. */
const SMALLEST_SCALE = 0.62;

/** The middle of a cell. */
export function centreOf({ column, row }: Cell): { readonly x: number; readonly y: number } {
  return { x: column * COLUMN, y: row * ROW };
}

/** From the rim of one node to the rim of the next; down beside the parent's words where the row differs. */
export function edgePath(from: Cell, to: Cell, reverse: boolean): string {
  const [source, target] = [centreOf(from), centreOf(to)];
  const start = source.x + RADIUS + (reverse ? 7 : 3);
  const end = target.x - RADIUS - (reverse ? 3 : 7);
  if (from.row === to.row) return `M${start} ${source.y}H${end}`;
  const turn = source.x + TURN;
  return `M${start} ${source.y}H${turn - 12}q12 0 12 12V${target.y - 12}q0 12 12 12H${end}`;
}

/** The arrow's head: at the parent where the relation is followed backwards. */
export function edgeHead(from: Cell, to: Cell, reverse: boolean): string {
  if (reverse) {
    const { x, y } = centreOf(from);
    return `M${x + RADIUS + 2} ${y}l8 -4.5v9z`;
  }
  const { x, y } = centreOf(to);
  return `M${x - RADIUS - 2} ${y}l-8 -4.5v9z`;
}

/** Where an edge's name stands. */
export function edgeLabel(from: Cell, to: Cell): { x: number; y: number; anchor: 'middle' | 'end'; most: number } {
  const { x, y } = centreOf(to);
  return from.row === to.row
    ? { x: (centreOf(from).x + x) / 2, y: y - 9, anchor: 'middle', most: 25 }
    : { x: x - RADIUS - 12, y: y - 9, anchor: 'end', most: 17 };
}

/** How a drawing lies in its pane: its scale, where its first cell stands, and how large it is. */
export interface Fit {
  readonly scale: number;
  readonly size: { readonly width: number; readonly height: number };
  readonly offset: { readonly x: number; readonly y: number };
}

/**
 * The drawing fitted into its pane, in the middle, never larger than drawn.
 *
 * @param conditions The most conditions that stand on one node of the first row.
 */
export function fit(cells: readonly Cell[], conditions: number, width: number, height: number): Fit {
  const top = MARGIN.top + CONDITION_ROW * Math.max(0, conditions - 1);
  const own = {
    width: Math.max(0, ...cells.map(({ column }) => column)) * COLUMN + 2 * MARGIN.x,
    height: Math.max(0, ...cells.map(({ row }) => row)) * ROW + top + MARGIN.bottom,
  };
  const scale = Math.max(SMALLEST_SCALE, Math.min(1, width / own.width, height / own.height));
  const size = { width: Math.max(width, own.width * scale), height: Math.max(height, own.height * scale) };
  return {
    scale,
    size,
    offset: {
      x: Math.max(0, (size.width - own.width * scale) / 2) + MARGIN.x * scale,
      y: Math.max(0, (size.height - own.height * scale) / 2) + top * scale,
    },
  };
}

/** How far a drawing larger than its pane is scrolled, so that a cell and its words are in sight. */
export function scrollTo(cell: Cell, { scale, offset }: Fit, width: number, height: number) {
  const { x, y } = centreOf(cell);
  return { left: offset.x + (x + MARGIN.x) * scale - width, top: offset.y + (y + MARGIN.bottom) * scale - height };
}

/** The position that an arrow key leads to from another; undefined where there is none. */
export function neighbour(
  nodes: readonly NodeState[],
  cells: readonly Cell[],
  position: number,
  key: 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown',
): number | undefined {
  const node = nodes[position];
  if (!node) return undefined;
  if (key === 'ArrowLeft') return node.out.parent ?? undefined;
  if (key === 'ArrowRight') return nodes.find(({ out }) => out.parent === position)?.out.position;
  const column = nodes
    .filter(({ out }) => cells[out.position]?.column === cells[position]?.column)
    .sort((a, b) => (cells[a.out.position]?.row ?? 0) - (cells[b.out.position]?.row ?? 0));
  return column[column.indexOf(node) + (key === 'ArrowUp' ? -1 : 1)]?.out.position;
}

/** A text with an ellipsis where it is too long. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;
}

const USUAL_WIDTH = 1.5;
const WIDEST = 4.5;

/** The width of an edge in pixels: thicker with its weight, as usual where it has none. */
export function edgeWidth(weight: number | null): number {
  return weight === null ? USUAL_WIDTH : 1 + (WIDEST - 1) * Math.min(Math.max(weight, 0), 1);
}
