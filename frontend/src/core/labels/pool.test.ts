import { describe, expect, test } from 'vitest';

import type { DecisionRecord, OptionRecord } from '../../api/types';
import { measureWords, optionEffect, optionTitle, shownPool, weightBars } from './pool';
import { recorded } from '../events/recorded';
import { fold } from '../events/run';

test('bars of weights end where the largest does, and scores may be below nought', () => {
  expect(weightBars('probability', [0.8, 0.4, 0])).toEqual([0.8, 0.4, 0]);
  expect(weightBars('attention', [0.4])).toEqual([0.4]);
  expect(weightBars('score', [0.8, 0.4, 0])).toEqual([1, 0.5, 0]);
  expect(weightBars('score', [3, -1])).toEqual([1, 0]);
  expect(weightBars('score', [0, 0])).toEqual([0, 0]);
  expect(weightBars('score', [])).toEqual([]);
});

test('a weight is shown with its kind', () => {
  expect(measureWords('probability', 0.8)).toBe('.80');
  expect(measureWords('score', 12.345)).toBe('12.3');
  expect(measureWords('attention', 0.0312)).toBe('0.0312');
});

function pool(probabilities: readonly (number | null)[], more: Partial<DecisionRecord> = {}): DecisionRecord {
  const options = probabilities.map((probability, index): OptionRecord => ({
    kind: 'answer',
    index,
    probability,
    position: index,
  }));
  return {
    options,
    total: options.length,
    rest_probability: 0,
    chosen: 0,
    given: false,
    exact: true,
    explored: false,
    unread: null,
    cost: null,
    ...more,
  };
}

const TWENTY = [0.81, ...Array.from({ length: 19 }, () => 0.01)];

describe('a pool', () => {
  test('folds its tail with its share of the probability, and unfolds', () => {
    const folded = shownPool(pool(TWENTY), false);
    expect(folded.open).toHaveLength(9);
    expect(folded.folded).toBe(11);
    expect(folded.foldedShare).toBeCloseTo(0.11);
    expect(shownPool(pool(TWENTY), true)).toMatchObject({ folded: 0, foldedShare: 0, foldable: true });
  });

  test('lists its options where the choice follows from what was weighed before', () => {
    const decision = pool([null, null, null], { exact: false, explored: true });
    expect(shownPool(decision, false)).toMatchObject({ open: decision.options, unread: [], unlisted: 0 });
  });

  test('never folds the chosen option nor None', () => {
    const decision = pool(TWENTY, { chosen: 15 });
    const none: OptionRecord = { kind: 'none', index: 17, probability: 0.01 };
    const options = decision.options.map((option) => (option.index === 17 ? none : option));
    const { open } = shownPool({ ...decision, options }, false);
    expect(open.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 17]);
  });

  test('never folds an option that matters', () => {
    const { open } = shownPool(pool(TWENTY), false, ({ index }) => index === 18);
    expect(open.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 18]);
  });

  test('folds no fewer than three', () => {
    expect(shownPool(pool(TWENTY.slice(0, 11)), false)).toMatchObject({ folded: 0, foldable: false });
    expect(shownPool(pool(TWENTY.slice(0, 12)), false)).toMatchObject({ folded: 3, foldable: true });
  });

  test('keeps apart what was not read, and counts what is not listed', () => {
    const unread = { count: 5, together: 0.1, each: 0.05 };
    const shown = shownPool(pool([0.6, 0.2, null, null], { total: 12, unread }), false);
    expect(shown.unread).toHaveLength(2);
    expect(shown.unlisted).toBe(5);
  });

  test('lists everything of a choice that was given, though nothing has a probability', () => {
    expect(shownPool(pool([null, null], { given: true }), false).open).toHaveLength(2);
  });
});

test('an option says what it would do', () => {
  const state = fold(recorded('condition'));
  expect(optionEffect({ kind: 'none', index: 0, probability: 1 }, state, 'prune')).toBe(
    'would add no further condition',
  );
  expect(optionEffect({ kind: 'none', index: 0, probability: 1 }, state, 'search')).toBe('would end the search');
  const found = state.nodes[2]?.members;
  expect(optionEffect({ kind: 'answer', index: 0, probability: 1, position: 2 }, state, 'infer')).toBe(
    `${found} found there`,
  );
});

test('the exact name of an option hides nothing', () => {
  const term = { id: 'en.ki\u202Ett', label: 'KITT', kind: 'entity' } as const;
  const option = { kind: 'topic', index: 0, probability: 1, term, hint: '', start: 0, end: 4 } as const;
  expect(optionTitle(option, fold(recorded('condition')))).toBe('en.ki⟨U+202E⟩tt');
});
