import { describe, expect, test } from 'vitest';

import { conditionsAt, isEmptied, nodeDescription, nodeLines } from './nodes';
import { ghostOf, touchedBy } from '../events/preview';
import { recorded } from '../events/recorded';
import { fold } from '../events/run';
import { edgePath, edgeWidth, fit, neighbour, shortened } from './structure';
import { momentsOf } from '../events/timeline';
import { cellsOf } from './tree';

const events = recorded('condition');
const state = fold(events);
const cells = cellsOf(state.nodes.map(({ out }) => out.parent));

function line(position: number) {
  const node = state.nodes[position];
  if (!node) throw new Error(`nothing stands at ${position}`);
  return { lines: nodeLines(state, node), words: nodeDescription(state, node) };
}

describe('a node', () => {
  test('says what it holds, and what a condition left of it', () => {
    expect(line(0).lines[0]).toBe('Knight Rider');
    expect(line(2).lines[0]).toBe('William Daniels');
    expect(line(2).lines[1]).toMatch(/^1 of \d+ left$/);
  });

  test('says to those who listen where it stands, and that it holds the answer', () => {
    expect(line(0).words).toContain('the search starts here');
    expect(line(2).words).toMatch(/^C: actor; from B, .*holds the answer$/);
    expect(line(3).words).toContain('condition: character is KITT');
  });

  test('is emptied where nothing that it held is left', () => {
    expect(isEmptied(state, 2)).toBe(false);
    expect(isEmptied({ ...state, removed: new Map(state.facts.map(({ id }) => [id, gone(id)])) }, 2)).toBe(true);
  });
});

function gone(fact: number) {
  return { fact, reason: 'fails', constraint: 1 } as const;
}

describe('an option that is previewed', () => {
  const moments = momentsOf(events);
  const step = moments.find(({ stage }) => stage === 'search');
  const options = step?.decision?.options.filter(({ kind }) => kind === 'step') ?? [];
  const chosen = step?.decision?.chosen;

  test('adds a node where it was refused, and touches one where it was chosen', () => {
    const refused = options.find(({ index }) => index !== chosen) ?? null;
    const taken = options.find(({ index }) => index === chosen) ?? null;
    expect(ghostOf(refused, chosen)).toMatchObject({ parent: 0 });
    expect(touchedBy(refused, chosen, state)).toBeNull();
    expect(ghostOf(taken, chosen)).toBeNull();
    expect(touchedBy(taken, chosen, state)).toBe(state.nodes.length - 1);
  });

  test('shows a condition once, though it is set already', () => {
    const constraint = state.constraints[0];
    if (!constraint) throw new Error('no condition was set');
    const option = { kind: 'constraint', index: 0, probability: 1, constraint } as const;
    expect(conditionsAt(state, constraint.position, option)).toHaveLength(1);
    const other = { ...option, constraint: { ...constraint, operator: 'max', target: null } } as const;
    expect(conditionsAt(state, constraint.position, other)).toHaveLength(2);
  });
});

test('the arrow keys walk the structure', () => {
  expect(neighbour(state.nodes, cells, 0, 'ArrowRight')).toBe(1);
  expect(neighbour(state.nodes, cells, 1, 'ArrowLeft')).toBe(0);
  expect(neighbour(state.nodes, cells, 2, 'ArrowDown')).toBe(3);
  expect(neighbour(state.nodes, cells, 3, 'ArrowUp')).toBe(2);
  expect(neighbour(state.nodes, cells, 0, 'ArrowLeft')).toBeUndefined();
  expect(neighbour(state.nodes, cells, 2, 'ArrowUp')).toBeUndefined();
});

test('a structure stands in the middle of its pane, and shrinks only so far', () => {
  const roomy = fit([{ column: 0, row: 0 }], 0, 600, 240);
  expect(roomy).toMatchObject({ scale: 1, size: { width: 600, height: 240 }, offset: { x: 300 } });
  const cramped = fit(cells, 0, 200, 100);
  expect(cramped.scale).toBe(0.62);
  expect(cramped.size.width).toBeGreaterThan(200);
  expect(fit(cells, 3, 600, 400).offset.y).toBeGreaterThan(fit(cells, 1, 600, 400).offset.y);
});

test('an edge is straight along a row, and turns where the row differs', () => {
  const here = { column: 0, row: 0 };
  expect(edgePath(here, { column: 1, row: 0 }, false)).toMatch(/^M\d+ 0H\d+$/);
  expect(edgePath(here, { column: 1, row: 1 }, false)).toContain('q12 0 12 12');
});

test('a long name ends in an ellipsis', () => {
  expect(shortened('programme creator', 10)).toBe('programme…');
  expect(shortened('actor', 10)).toBe('actor');
});

describe('an edge', () => {
  test('is as wide as its weight, and as usual where nothing weighs it', () => {
    expect(edgeWidth(null)).toBe(1.5);
    expect([0, 0.5, 1].map(edgeWidth)).toEqual([1, 2.75, 4.5]);
    expect(edgeWidth(7)).toBe(edgeWidth(1));
  });
});
