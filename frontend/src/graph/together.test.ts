import { expect, test } from 'vitest';

import type { SceneFact } from './scene';
import { loopsOf, sharedLines } from './together';

const fact = (id: number, source: string, target: string): SceneFact => ({
  id,
  source,
  target,
  label: 'knows',
  reverse: false,
  removed: false,
  highlighted: false,
});

test('facts between the same two terms share a line, whichever way they lead', () => {
  const facts = [fact(1, 'a', 'b'), fact(2, 'b', 'a'), fact(3, 'a', 'b'), fact(4, 'a', 'c'), fact(5, 'a', 'a')];
  expect(sharedLines(facts).map(({ ends, facts: some }) => [ends, some.map(({ id }) => id)])).toEqual([
    [
      ['a', 'b'],
      [1, 2, 3],
    ],
  ]);
});

test('facts from a term to itself are loops', () => {
  const loops = loopsOf([fact(1, 'a', 'a'), fact(2, 'a', 'b'), fact(3, 'a', 'a'), fact(4, 'c', 'c')]);
  expect([...loops].map(([key, some]) => [key, some.length])).toEqual([
    ['a', 2],
    ['c', 1],
  ]);
});
