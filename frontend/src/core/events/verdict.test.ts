import { expect, test } from 'vitest';

import { recorded } from './recorded';
import { fold } from './run';
import { momentsOf } from './timeline';
import { doubtsOf, lastCondition, missingTitle, missingWords, runnersUp, stoppedWords, sureWords } from './verdict';

function missing(name: string): string {
  const whole = fold(recorded(name));
  if (whole.end?.kind !== 'finished') throw new Error(`${name} did not finish`);
  return missingWords(whole.end, whole, momentsOf(recorded(name)), 'Toy');
}

test('where nothing was answered, a sentence says why', () => {
  expect(missing('no_topic')).toBe(
    'No entity of the question was found in Toy. Choose a topic, or ask about something else.',
  );
  expect(missing('no_relation')).toMatch(
    /is in Toy, but the model judged that (none of its \d+ relations fits|its only relation does not fit) the question/,
  );
  expect(missing('conditions_leave_nothing')).toMatch(/fact.* found, but none where .* is |holds only/);
  expect(missing('unsupported')).toBe(
    'A language model wrote an answer that no fact of Toy supports, so it is not shown as an answer.',
  );
  expect(missing('condition')).toBe('');
});

test('only a question that names nothing of the graph is not in it', () => {
  const title = (name: string) => {
    const whole = fold(recorded(name));
    if (whole.end?.kind !== 'finished') throw new Error(`${name} did not finish`);
    return missingTitle(whole.end, whole);
  };
  expect(title('no_topic')).toBe('Not in this graph');
  expect(title('no_relation')).toBe('No answer found');
  expect(title('conditions_leave_nothing')).toBe('No answer found');
});

function finishedOf(name: string) {
  const whole = fold(recorded(name));
  if (whole.end?.kind !== 'finished') throw new Error(`${name} did not finish`);
  return { finished: whole.end, whole, moments: momentsOf(recorded(name)) };
}

test('a model that stopped says how sure it was, and what came next may be taken instead', () => {
  const { finished, whole, moments } = finishedOf('no_relation');
  expect(sureWords(finished, moments)).toBe('The model was 80 % sure that no option leads to an answer.');
  const next = runnersUp(finished, whole, moments);
  expect(next.map(({ words }) => words)).toEqual(['number of seasons (7 %)', 'programme creator (7 %)']);
  expect(next[0]?.change).toMatchObject({
    kind: 'replace',
    stage: 'search',
    number: 0,
    choice: { kind: 'step', position: 0, relation: 'tv.tv_program.number_of_seasons' },
    later: 'ask',
  });
});

test('how sure a model was of stopping stands once', () => {
  const { finished, moments } = finishedOf('no_relation');
  expect(doubtsOf(finished, moments)).toEqual({ sure: '', weakest: null });
  // With another choice before it there is a figure of both, and the other one may be the weakest.
  const [begun, stopped] = moments;
  const decision = begun?.decision;
  if (!decision || !stopped) throw new Error('the run has no two decisions');
  const choice = (probability: number) => {
    const options = decision.options.map((each) => ({ ...each, probability }));
    return { ...begun, decision: { ...decision, total: 2, options } };
  };
  const both = { ...finished, confidence: 0.72 };
  expect(doubtsOf(both, [choice(0.9), stopped])).toEqual({ sure: 'Confidence 72 %, not calibrated', weakest: null });
  expect(doubtsOf(both, [choice(0.6), stopped]).weakest?.step).toBe(0);
});

test('a given choice, or a run without questions to the model, has no confidence for stopping', () => {
  const { finished, whole, moments } = finishedOf('no_relation');
  const given = moments.map((each) => ({ ...each, decision: each.decision && { ...each.decision, given: true } }));
  expect([sureWords(finished, given), runnersUp(finished, whole, given)]).toEqual(['', []]);
  for (const name of ['no_topic', 'conditions_leave_nothing', 'condition']) {
    const run = finishedOf(name);
    expect([sureWords(run.finished, run.moments), runnersUp(run.finished, run.whole, run.moments)]).toEqual(['', []]);
  }
});

test('the condition that left nothing can be dropped', () => {
  const { finished, whole, moments } = finishedOf('conditions_leave_nothing');
  expect(lastCondition(finished, whole, moments)).toEqual({
    words: 'start date is in 1950',
    change: { kind: 'remove', stage: 'prune', number: 0, later: 'keep' },
  });
  const answered = finishedOf('condition');
  expect(lastCondition(answered.finished, answered.whole, answered.moments)).toBeNull();
});

test('a run says at which decision it stopped, unless it only began', () => {
  const moments = momentsOf(recorded('condition'));
  expect(stoppedWords(moments)).toBe(`It stopped at decision ${moments.length}: the answer is actor.`);
  expect(stoppedWords(moments.slice(0, 1))).toBe('');
  expect(stoppedWords([])).toBe('');
});
