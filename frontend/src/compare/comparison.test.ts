import { describe, expect, it } from 'vitest';

import type { SideBySideOut } from '../api/asking/sideBySide';
import { recorded } from '../core/events/recorded';
import { agreementWords, branchesOf, letterOf, stepOf } from './comparison';

const asked = (same_answers: string[][], runs: number): SideBySideOut =>
  ({ same_answers, compared: same_answers.flat().length, runs: Array.from({ length: runs }) }) as SideBySideOut;

describe('where runs part', () => {
  it('gathers those that decide the same, the most first', () => {
    const runs = [
      { run: 'a', seq: 4, words: 'Follow actor', alike: 0 },
      { run: 'b', seq: null, words: '', alike: 1 },
      { run: 'c', seq: 9, words: 'Follow character', alike: 2 },
      { run: 'd', seq: 7, words: 'Follow character', alike: 2 },
    ];
    expect(branchesOf({ shared: 2, runs })).toEqual([
      { runs: ['c', 'd'], words: 'Follow character' },
      { runs: ['a'], words: 'Follow actor' },
      { runs: ['b'], words: '' },
    ]);
  });
});

describe('agreement', () => {
  it('counts those that can be compared', () => {
    expect(agreementWords(asked([], 3))).toBe('');
    expect(agreementWords(asked([['a']], 3))).toBe('');
    expect(agreementWords(asked([['a', 'b']], 2))).toBe('All 2 give the same answers.');
    expect(agreementWords(asked([['a', 'b'], ['c']], 4))).toBe('2 of 3 give the same answers (4 runs in total).');
    expect(agreementWords(asked([['a'], ['b']], 2))).toBe('All 2 give different answers.');
  });

  it('gives the same letter to those with the same answers', () => {
    const comparison = asked([['a', 'c'], ['b']], 4);
    expect(['a', 'b', 'c', 'd'].map((run) => letterOf(comparison, run))).toEqual(['A', 'B', 'A', '']);
  });
});

describe('the step of an event', () => {
  const events = recorded('condition');

  it('is the one that the theatre shows for it', () => {
    const linked = events.find(({ event }) => event.kind === 'entity_linked');
    const first = events.find(({ event }) => event.kind === 'search_step');
    expect(linked && stepOf(events, linked.seq)).toBe(1);
    expect(first && stepOf(events, first.seq)).toBe(2);
    expect(stepOf(events, 10_000)).toBeNull();
  });
});
