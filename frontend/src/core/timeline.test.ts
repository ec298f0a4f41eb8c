import { expect, test } from 'vitest';

import type { DecisionRecord, ModelWrote, OptionRecord } from '../api/types';
import { RECORDED, recorded } from './recorded';
import { EMPTY, fold, stepEnds } from './run';
import { asidesBefore, doubtOf, momentsOf, spoken } from './timeline';

function told(name: string): string[] {
  return momentsOf(recorded(name)).map(spoken);
}

test('the decisions of a run read as sentences', () => {
  expect(told('condition')).toMatchInlineSnapshot(`
    [
      "Begin at Knight Rider",
      "Follow regular cast, from Knight Rider · 3 facts",
      "Follow actor, from regular cast · 3 facts",
      "Follow character, from regular cast · 3 facts",
      "Nothing more to follow",
      "Keep where character is KITT, 6 facts out, 3 left, no further condition is possible",
      "The answer is actor",
    ]
  `);
});

test('a relation that is followed backwards says so', () => {
  expect(told('reverse').some((sentence) => sentence.startsWith('Follow backwards '))).toBe(true);
});

test('a question that names nothing of the graph has one step that says so', () => {
  expect(told('no_topic')).toEqual(['Nothing that the question names is in this graph']);
});

test('a condition that nothing meets is told where it was set', () => {
  expect(told('conditions_leave_nothing').at(-1)).toMatch(/no fact meets it/);
});

test('the timeline while a run is at work is the beginning of the timeline after it', () => {
  for (const events of RECORDED.values()) {
    const whole = momentsOf(events);
    for (const end of stepEnds(events)) {
      const sofar = momentsOf(events.slice(0, end));
      expect(sofar).toEqual(whole.slice(0, sofar.length));
    }
  }
});

test('a moment knows what stood before its decision and after it', () => {
  const events = recorded('condition');
  const moments = momentsOf(events);
  moments.forEach(({ before }, index) => {
    expect(before).toEqual(index === 0 ? EMPTY : moments[index - 1]?.after);
  });
  expect(moments.at(-1)?.after).toEqual(fold(events));
});

test('what is told between two decisions stands after the first of them', () => {
  const events = recorded('condition');
  const wrote: ModelWrote = {
    kind: 'model_wrote',
    stage: 'infer',
    purpose: 'a plan',
    writer: 'writer',
    messages: [],
    text: 'first the cast',
    length: 14,
    cost: { calls: 1, tokens_in: 1, tokens_out: 1 },
    seconds: 0,
  };
  const at = (place: number) => [...events.slice(0, place), { seq: place, event: wrote }, ...events.slice(place)];
  expect(asidesBefore(at(1))).toEqual([wrote]);
  expect(momentsOf(at(1))[0]?.asides).toEqual([]);
  expect(asidesBefore(at(3))).toEqual([]);
  expect(momentsOf(at(3)).map(({ asides }) => asides.length)).toEqual([0, 1, 0, 0, 0, 0, 0]);
  expect(asidesBefore(at(1).slice(0, 2))).toEqual([wrote]);
});

function decision(probabilities: readonly (number | null)[], more: Partial<DecisionRecord> = {}): DecisionRecord {
  const options: OptionRecord[] = probabilities.map((probability, index) => ({ kind: 'none', index, probability }));
  return { options, total: options.length, rest_probability: 0, chosen: 0, given: false, exact: true, ...more };
}

test.each([
  ['a sure choice', [0.9, 0.05, 0.05], null],
  ['a bare half, far ahead', [0.5, 0.3, 0.2], null],
  ['less than half', [0.49, 0.3, 0.21], /low probability: \.49/],
  ['a close second', [0.54, 0.45], /close second.*\.45/],
  ['a second just far enough', [0.55, 0.45], null],
  ['the only option', [1], null],
])('%s', (_, probabilities, expected) => {
  const doubt = doubtOf(EMPTY, decision(probabilities));
  if (expected) expect(doubt?.text).toMatch(expected);
  else expect(doubt).toBeNull();
});

test('a given choice is never doubted', () => {
  expect(doubtOf(EMPTY, decision([null, null], { given: true }))).toBeNull();
});

test('a pick is never doubted: it says nothing of the others', () => {
  expect(doubtOf(EMPTY, decision([1, 0], { exact: false }))).toBeNull();
});

test.each([
  ['much could be left', 0.4, 0.35, /possible among what was not read: at most \.35/],
  ['little of each', 0.4, 0.02, /low probability: \.40–\.67/],
  ['enough for the chosen one', 0.6, 0.3, null],
])('where options were not read and %s', (_, least, each, expected) => {
  const unread = { count: 3, together: 0.4, each };
  const doubt = doubtOf(EMPTY, decision([least, null, null, null], { unread }));
  if (expected) expect(doubt?.text).toMatch(expected);
  else expect(doubt).toBeNull();
});
