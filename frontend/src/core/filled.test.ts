import { expect, test } from 'vitest';

import worded from '../../../tests/worded.json';
import type { ConstraintRecord } from '../api/types';
import { filled, pieces } from './filled';
import { recorded } from './recorded';
import { EMPTY, fold } from './run';
import { momentsOf, plain } from './timeline';
import { missingTitle, missingWords } from './verdict';
import { conditionWords } from './words';

test('what stands in braces is filled in, and nothing in what is filled in', () => {
  expect(filled('{node} {comparison}', { node: '{comparison}', comparison: 'is KITT' })).toBe('{comparison} is KITT');
  expect(pieces('Follow {relation}!', { relation: 1 }, () => 0)).toEqual([0, 1, 0]);
});

test.each(Object.entries(worded.runs))(
  '%s is worded as the terminal words it',
  (name, { told, doubtful, ...missing }) => {
    const events = recorded(name);
    const moments = momentsOf(events);
    const lines = moments.flatMap(({ sentence, notes }) =>
      [sentence, ...notes].map(plain).filter((line) => line !== ''),
    );
    expect(lines).toEqual(told);
    expect(moments.filter(({ decision }) => decision).map(({ doubt }) => doubt !== null)).toEqual(doubtful);
    const whole = fold(events);
    if (whole.end?.kind !== 'finished') throw new Error(`${name} did not finish`);
    expect(missingWords(whole.end, whole, moments, whole.started?.graph_title ?? '')).toBe(missing.reason);
    if (missing.title) expect(missingTitle(whole.end)).toBe(missing.title);
  },
);

test.each(worded.conditions)('$words', ({ constraint, words }) => {
  expect(conditionWords(EMPTY, constraint as ConstraintRecord)).toBe(words);
});
