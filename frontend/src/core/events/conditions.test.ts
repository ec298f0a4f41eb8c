import { expect, test } from 'vitest';

import type { ConstraintRecord, HeldRecord, TermRecord } from '../../api/types';
import { metConditions } from './conditions';
import { EMPTY, type RunState } from './run';

const date = (label: string): TermRecord => ({ id: `"${label}"`, label, kind: 'date' });
const HOLDS: ConstraintRecord = { position: 1, operator: 'holds', target: date('1962') };
const asked: RunState = { ...EMPTY, constraints: [HOLDS] };

test.each<[string[], string[], string]>([
  [['1961'], ['1963'], 'held in 1962 (from 1961 to 1963)'],
  [['1961'], [], 'held in 1962 (since 1961)'],
  [[], ['1963', '1970'], 'held in 1962 (until 1963, 1970)'],
  [[], [], 'held in 1962 (no dates are known)'],
])('what held says when it began, %s, and ended, %s', (begins, ends, words) => {
  const held: HeldRecord = { constraint: 1, begins: begins.map(date), ends: ends.map(date) };
  expect(metConditions(asked, [], [held])).toEqual([expect.stringContaining(words)]);
});

test('logs without it show the condition alone', () => {
  expect(metConditions(asked, [])).toEqual([expect.stringMatching(/held in 1962$/)]);
});
