import { expect, test } from 'vitest';

import type { DecisionRecord } from '../api/types';
import { recorded } from './recorded';
import { decisionOf } from './run';
import { mostOf, shareWords, unreadEntry } from './shares';

function decisions(name: string): DecisionRecord[] {
  return recorded(name).flatMap(({ event }) => decisionOf(event) ?? []);
}

test('where all options were read, a probability is one number', () => {
  for (const decision of decisions('condition')) {
    expect(shareWords(decision, decision.chosen)).toMatch(/^(\.80|1\.0)$/);
    expect(unreadEntry(decision)).toBeNull();
  }
});

test('where options were left unread, a probability has a range, and what is left has a bound', () => {
  const [decision] = decisions('unread').filter(({ total, unread }) => total === 4 && unread);
  if (!decision) throw new Error('the recorded run has no such decision');
  expect(shareWords(decision, decision.chosen)).toBe('.80–.92');
  expect(mostOf(decision, 0.8)).toBeCloseTo(0.8 / (1 - 0.4 / 3));
  const unread = decision.options.filter(({ probability }) => probability === null);
  expect(unread.map(({ index }) => shareWords(decision, index))).toEqual(['', '']);
  expect(unreadEntry(decision)).toMatchObject({
    title: '2 of 4 options not read',
    text: expect.stringMatching(/at most \.13 together, .* more than \.07/) as string,
  });
});

test('a pick has no number', () => {
  for (const decision of decisions('picked')) {
    const told = decision.options.map(({ index }) => shareWords(decision, index)).filter((words) => words !== '');
    expect(told).toEqual(['picked']);
  }
});

test('a given choice says so', () => {
  for (const decision of decisions('condition').map((each) => ({ ...each, given: true }))) {
    expect(shareWords(decision, decision.chosen)).toBe('given');
  }
});
