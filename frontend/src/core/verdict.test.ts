import { expect, test } from 'vitest';

import { recorded } from './recorded';
import { fold } from './run';
import { momentsOf } from './timeline';
import { missingTitle, missingWords, runnersUpWords, stoppedWords } from './verdict';

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
    /is in Toy, but the model took (none of its \d+ relations|not its only relation) for what|found no place that could hold/,
  );
  expect(missing('conditions_leave_nothing')).toMatch(/fact.* found, but none is left where .* is |holds nothing but/);
  expect(missing('unsupported')).toBe(
    'A model answered this by itself. No fact of Toy supports it, so it is not told as an answer.',
  );
  expect(missing('condition')).toBe('');
});

test('only a question that names nothing of the graph is not in it', () => {
  const title = (name: string) => {
    const { end } = fold(recorded(name));
    if (end?.kind !== 'finished') throw new Error(`${name} did not finish`);
    return missingTitle(end);
  };
  expect(title('no_topic')).toBe('Not in this graph');
  expect(title('no_relation')).toBe('No answer found');
  expect(title('conditions_leave_nothing')).toBe('No answer found');
});

test('a model that stopped says how sure it was, and what came next', () => {
  const told = (name: string) => {
    const whole = fold(recorded(name));
    if (whole.end?.kind !== 'finished') throw new Error(`${name} did not finish`);
    return runnersUpWords(whole.end, whole, momentsOf(recorded(name)));
  };
  expect(told('no_relation')).toMatch(/^The model was [\d.]+ % sure that nothing leads on\. Next came .+ \([\d.]+ %\)/);
  expect(told('no_topic')).toBe('');
  expect(told('conditions_leave_nothing')).toBe('');
});

test('a run says at which decision it stopped, unless it only began', () => {
  const moments = momentsOf(recorded('condition'));
  expect(stoppedWords(moments)).toBe(`It stopped at decision ${moments.length}: the answer is actor.`);
  expect(stoppedWords(moments.slice(0, 1))).toBe('');
  expect(stoppedWords([])).toBe('');
});
