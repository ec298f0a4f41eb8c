import { expect, test } from 'vitest';

import type { Finished } from '../../api/types';
import { costRows, costWords } from './cost';
import { recorded } from '../events/recorded';

function finished(name: string): Finished {
  const last = recorded(name).at(-1)?.event;
  if (last?.kind !== 'finished') throw new Error(`${name} did not finish`);
  return last;
}

test('the stages of a run add up to all of it', () => {
  const rows = costRows(finished('condition'));
  expect(rows.map(({ stage }) => stage)).toEqual(['Begin', 'Search', 'Prune', 'Answer', 'All']);
  const all = rows.at(-1);
  for (const kind of ['calls', 'tokensIn', 'tokensOut'] as const) {
    expect(rows.slice(0, -1).reduce((sum, row) => sum + (row[kind] ?? 0), 0)).toBe(all?.[kind]);
  }
  expect(all?.calls).toBe(7);
});

test('what a text took is one line', () => {
  expect(costWords({ calls: 1, tokens_in: 1200, tokens_out: 1 }, 2.5)).toBe(
    '1 model call · 1,200 tokens in · 1 token out · 2.50 s',
  );
});

test('a run from before stages were counted shows all together', () => {
  const rows = costRows({ ...finished('condition'), costs: null });
  expect(rows.slice(0, -1).every(({ calls }) => calls === null)).toBe(true);
  expect(rows.at(-1)).toMatchObject({ stage: 'All', calls: 7 });
});
