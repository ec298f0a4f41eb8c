import { expect, test } from 'vitest';

import type { DecisionRecord } from '../../api/types';
import { recorded } from '../events/recorded';
import { decisionOf } from '../events/run';
import { barOf, isApproximate, mostOf, shareWords, unaskedWords, unreadEntry } from './shares';

function decisions(name: string): DecisionRecord[] {
  return recorded(name).flatMap(({ event }) => decisionOf(event) ?? []);
}

test('where all options were read, a probability is one number', () => {
  for (const decision of decisions('condition')) {
    expect(shareWords(decision, decision.chosen)).toBe(decision.total > 1 ? '.80' : '');
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
    text: expect.stringMatching(/together have at most \.13, each at most \.07/) as string,
  });
});

test('a bar is on a scale from nought to one, and the only option has none', () => {
  for (const decision of decisions('condition')) {
    const bars = decision.options.map((option) => barOf(decision, option));
    if (decision.total === 1) expect(bars).toEqual([null]);
    else expect(bars).toEqual(decision.options.map(({ probability }) => ({ sure: probability, perhaps: 0 })));
  }
  expect(decisions('condition').some(({ total }) => total === 1)).toBe(true);
  const [unread] = decisions('unread').filter((each) => each.total === 4 && each.unread);
  const chosen = unread?.options.find(({ index }) => index === unread.chosen);
  if (!unread || !chosen) throw new Error('the recorded run has no such decision');
  const bar = barOf(unread, chosen);
  expect(bar?.sure).toBe(0.8);
  expect((bar?.sure ?? 0) + (bar?.perhaps ?? 0)).toBeCloseTo(mostOf(unread, 0.8));
});

test('a pick has no number', () => {
  for (const decision of decisions('picked')) {
    const shares = decision.options.map(({ index }) => shareWords(decision, index)).filter((words) => words !== '');
    expect(shares).toEqual(['picked']);
  }
});

test('what follows from the weights of an explorer is neither picked nor approximate', () => {
  for (const decision of decisions('picked')) {
    expect([isApproximate(decision), unaskedWords(decision)]).toEqual([true, null]);
    const explored = { ...decision, explored: true };
    expect([isApproximate(explored), shareWords(explored, explored.chosen)]).toEqual([false, 'by weight']);
    expect(unaskedWords(explored)).toMatch(/follows from earlier decisions/);
  }
});

test('a given choice says so', () => {
  for (const decision of decisions('condition').map((each) => ({ ...each, given: true }))) {
    expect(shareWords(decision, decision.chosen)).toBe('given');
  }
});
