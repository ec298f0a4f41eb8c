import { expect, test } from 'vitest';

import { recorded } from './recorded';
import { fold } from './run';
import { momentsOf } from './timeline';
import { missingWords, stoppedWords } from './verdict';

function missing(name: string): string {
  const whole = fold(recorded(name));
  if (whole.end?.kind !== 'finished') throw new Error(`${name} did not finish`);
  return missingWords(whole.end, whole, momentsOf(recorded(name)), 'Toy');
}

test('where nothing was answered, a sentence says why', () => {
  expect(missing('no_topic')).toBe(
    'Nothing that the question names was found in Toy. Choose what it is about, or ask about something else.',
  );
  expect(missing('no_relation')).toMatch(
    /is in Toy, but none of its \d+ relations fits|found no place that could hold/,
  );
  expect(missing('conditions_leave_nothing')).toMatch(/fact.* found, but none is left where .* is |holds nothing but/);
  expect(missing('condition')).toBe('');
});

test('a run says at which decision it stopped, unless it only began', () => {
  const moments = momentsOf(recorded('condition'));
  expect(stoppedWords(moments)).toBe(`It stopped at decision ${moments.length}: the answer is actor.`);
  expect(stoppedWords(moments.slice(0, 1))).toBe('');
  expect(stoppedWords([])).toBe('');
});
