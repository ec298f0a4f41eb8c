import { expect, test } from 'vitest';

import type { DecisionRecord, OptionRecord } from '../../api/types';
import { EARLIER, RECORDED, recorded } from './recorded';
import { confidenceWords, unusedWords } from './eventSentences';
import { EMPTY, fold, stepEnds } from './run';
import { doubtOf, momentsOf, spoken, stretchesOf } from './timeline';

function sentencesOf(name: string): string[] {
  return momentsOf(recorded(name)).map(spoken);
}

test('the decisions of a run read as sentences', () => {
  expect(sentencesOf('condition')).toMatchInlineSnapshot(`
    [
      "Begin at Knight Rider",
      "Follow regular cast, from Knight Rider · 3 facts",
      "Follow actor, from regular cast · 3 facts",
      "Follow character, from regular cast · 3 facts",
      "Stop searching",
      "Keep facts where character is KITT, 6 facts removed, 3 left, no further condition is possible",
      "The answer is actor",
    ]
  `);
});

test.each([
  ['condition', 'William Daniels'],
  ['counted', undefined],
])('the answer node of the run %s names the answers, unless they are counted', (name, answers) => {
  const parts = momentsOf(recorded(name)).flatMap(({ sentence }) => sentence);
  expect(parts.find((part) => part.kind === 'node' && part.answers)).toEqual(
    answers && expect.objectContaining({ label: 'actor', answers }),
  );
});

test('a relation that is followed backwards says so', () => {
  expect(sentencesOf('reverse').some((sentence) => sentence.includes(' backwards, '))).toBe(true);
});

test('a question that names nothing of the graph has one step that says so', () => {
  expect(sentencesOf('no_topic')).toEqual(['No entity of the question is in this graph']);
});

test('a condition without results is reported at its own step', () => {
  expect(sentencesOf('conditions_leave_nothing').at(-1)).toMatch(/no fact meets this condition/);
});

test('runs of earlier versions read as sentences too, and mention nothing that was not recorded then', () => {
  expect([...EARLIER].map(([name, events]) => [name, momentsOf(events).map(spoken).at(-1)])).toMatchInlineSnapshot(`
    [
      [
        "before_confidence",
        "The answer is actor",
      ],
      [
        "condition",
        "The answer is actor",
      ],
      [
        "no_relation",
        "Stop searching",
      ],
    ]
  `);
  for (const events of EARLIER.values()) {
    const { end } = fold(events);
    if (end?.kind !== 'finished') throw new Error('the run did not finish');
    expect(confidenceWords(end)).toBe('');
    expect(unusedWords('', end)).toBe('');
  }
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

test('several options that were kept, and a text that a model wrote, are steps', () => {
  expect(sentencesOf('written')).toEqual([
    'Begin at Knight Rider',
    'Kept 2 of 4 options, by probability',
    'Written by recorded, not from the graph, what the answer may be called',
  ]);
  const moments = momentsOf(recorded('written'));
  expect(moments.map(({ stage }) => stage)).toEqual(['link', 'search', 'infer']);
  expect(moments.map(({ aside }) => aside?.kind ?? null)).toEqual([null, 'selection', 'model_wrote']);
  expect(moments.map(({ decision }) => decision !== null)).toEqual([true, false, false]);
});

test('events before the question is linked are a step of their own', () => {
  const [started, linked, , wrote] = recorded('written');
  if (!started || !linked || !wrote) throw new Error('the recorded run is shorter than it was');
  const moments = momentsOf([started, wrote, linked]);
  expect(moments.map(({ aside }) => aside?.kind ?? null)).toEqual(['model_wrote', null]);
  expect(moments.map(({ before }) => before.linked)).toEqual([null, null]);
});

test('a strategy may come back to a stage', () => {
  const [started, linked, selected, wrote] = recorded('written');
  if (!started || !linked || !selected || !wrote) throw new Error('the recorded run is shorter than it was');
  const stretches = stretchesOf(momentsOf([started, linked, selected, wrote, selected]));
  expect(stretches.map(({ stage, moments }) => [stage, moments.map(({ step }) => step)])).toEqual([
    ['link', [0]],
    ['search', [1]],
    ['infer', [2]],
    ['search', [3]],
  ]);
});

function decision(probabilities: readonly (number | null)[], more: Partial<DecisionRecord> = {}): DecisionRecord {
  const options: OptionRecord[] = probabilities.map((probability, index) => ({ kind: 'none', index, probability }));
  return {
    options,
    total: options.length,
    rest_probability: 0,
    chosen: 0,
    given: false,
    exact: true,
    explored: false,
    ...more,
  };
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
  ['much could be left', 0.4, 0.35, /not read may be a close second: at most \.35/],
  ['little of each', 0.4, 0.02, /low probability: \.40–\.67/],
  ['enough for the chosen one', 0.6, 0.3, null],
])('where options were not read and %s', (_, least, each, expected) => {
  const unread = { count: 3, together: 0.4, each };
  const doubt = doubtOf(EMPTY, decision([least, null, null, null], { unread }));
  if (expected) expect(doubt?.text).toMatch(expected);
  else expect(doubt).toBeNull();
});

test('layers that were explored, candidates that came of them, and plans are steps', () => {
  const run_id = '1';
  const relation = { id: 'r', label: 'regular cast', context: 'tv program', reverse: false };
  const term = { id: 'm.1', label: 'KITT', kind: 'entity' as const };
  const layer = {
    kind: 'layer_explored' as const,
    layer: 1,
    layers: 3,
    explorer: 'x',
    keep: 40,
    groups: [{ way: [], relation, weight: 0.9, heads: 1, edges: 64, kept: 40 }],
    groups_total: 12,
    entities_before: 1,
    entities_after: 41,
    edges_total: 64,
    edges_kept: 40,
    seconds: 0,
  };
  const ranked = {
    kind: 'candidates_ranked' as const,
    candidates: [{ term, weight: 0.8, position: 1, path: [], weights: [] }],
    total: 41,
    seconds: 0,
  };
  const proposed = {
    kind: 'plans_proposed' as const,
    by: 'scorer' as const,
    begins: [{ ...relation, reverse: true }, relation],
    plans: [{ relations: [relation], weight: 1, grounded: true }],
    total: 4,
    covered: 0.78,
    cost: null,
    seconds: 0,
  };
  const events = [layer, ranked, proposed, { ...proposed, begins: [] }].map((event, seq) => ({
    run_id,
    seq: seq + 1,
    event,
    at: '',
  }));
  const moments = momentsOf(events as unknown as Parameters<typeof momentsOf>[0]);
  expect(moments.map(spoken)).toEqual([
    'Layer 1 of 3: kept 40 of 64 edges, from 1 to 41 entities',
    'Ranked 41 candidates, showing 1',
    'Weighed 4 plans, proposed 1, only plans that begin with regular cast (backwards) → regular cast',
    'Weighed 4 plans, proposed 1, together 78 % of the probability of all plans',
  ]);
  expect(moments.map(({ stage }) => stage)).toEqual(['search', 'infer', 'search', 'search']);
});
