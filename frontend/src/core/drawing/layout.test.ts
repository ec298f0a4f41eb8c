import { expect, test } from 'vitest';

import { extend, type Arrival, type Point } from './layout';
import { cellsOf } from './tree';

test('a tree reads from left to right, its first branch straight on', () => {
  expect(cellsOf([null, 0, 1, 1])).toEqual([
    { column: 0, row: 0 },
    { column: 1, row: 0 },
    { column: 2, row: 0 },
    { column: 2, row: 1 },
  ]);
});

test('a node that joins the tree moves none that stand, and takes a place of its own', () => {
  const parents = [null, 0, 1, 1, 0, 4, 2, 1, 0];
  const whole = cellsOf(parents);
  parents.forEach((_, count) => expect(cellsOf(parents.slice(0, count))).toEqual(whole.slice(0, count)));
  expect(new Set(whole.map(({ column, row }) => `${column}/${row}`)).size).toBe(parents.length);
});

const root: ReadonlyMap<string, Point> = new Map([['root', { x: 0, y: 0 }]]);

function children(source: string, count: number, name = source): Arrival<string>[] {
  return Array.from({ length: count }, (_, index) => ({ key: `${name}.${index}`, source }));
}

function grown(counts: readonly number[]): ReadonlyMap<string, Point>[] {
  const origins = new Map<string, string>();
  const layouts = [root];
  let sources = ['root'];
  for (const count of counts) {
    const arrivals = sources.flatMap((source) => children(source, count, `${source}-${layouts.length}`));
    layouts.push(extend(layouts.at(-1) ?? root, arrivals, origins));
    for (const { key, source } of arrivals) origins.set(key, source);
    sources = arrivals.map(({ key }) => key);
  }
  return layouts;
}

test('terms that stand never move', () => {
  const layouts = grown([7, 1, 2]);
  layouts.slice(1).forEach((layout, index) => {
    for (const [key, point] of layouts[index] ?? []) expect(layout.get(key)).toEqual(point);
  });
});

test('the same facts are always drawn the same', () => {
  expect(grown([7, 2])).toEqual(grown([7, 2]));
});

test.each([[1], [7], [50], [200]])('%d terms around one do not hide each other', (count) => {
  const points = [...(grown([count]).at(-1)?.values() ?? [])];
  expect(points).toHaveLength(count + 1);
  points.forEach((a, i) => {
    for (const b of points.slice(i + 1)) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(0.4);
  });
});

test('more of a crowd goes on around it, and leaves what stands', () => {
  const some = extend(root, children('root', 200, 'some'), new Map());
  const origins = new Map([...some.keys()].filter((key) => key !== 'root').map((key) => [key, 'root']));
  const more = extend(some, children('root', 200, 'more'), origins);
  for (const [key, point] of some) expect(more.get(key)).toEqual(point);
  const added = [...more].filter(([key]) => !some.has(key)).map(([, point]) => point);
  const middle = added.reduce((sum, { x, y }) => ({ x: sum.x + x / 200, y: sum.y + y / 200 }), { x: 0, y: 0 });
  expect(Math.hypot(middle.x, middle.y)).toBeLessThan(1);
});

test('a term that two lead to is drawn once', () => {
  const first = extend(root, children('root', 2), new Map());
  const arrivals = [
    { key: 'shared', source: 'root.0' },
    { key: 'shared', source: 'root.1' },
  ];
  expect(extend(first, arrivals, new Map()).size).toBe(4);
});
