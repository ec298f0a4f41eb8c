import { expect, test } from 'vitest';

import type {
  Finished,
  OptionRecord,
  QuestionSimplified,
  ReadingRecord,
  Started,
  Sufficiency,
  Undecided,
} from '../../api/types';
import {
  confidenceEntry,
  confidenceWords,
  continuedLines,
  cutWords,
  depthWords,
  marked,
  openWords,
  readingAnswers,
  readingWords,
  roundsWords,
  simplifiedWords,
  triedShareWords,
  triedWords,
  unusedWords,
  weightWords,
} from './eventSentences';
import { grown } from './readings';
import { recorded } from './recorded';
import { fold } from './run';

function ended(change: Partial<Finished>): Finished {
  const { end } = fold(recorded('condition'));
  if (end?.kind !== 'finished') throw new Error('the run did not finish');
  return { ...end, ...change };
}

test.each([
  [0.724, 'Confidence 72 %'],
  [0.0049, 'Confidence under 1 %'],
  [0.9951, 'Confidence over 99 %'],
  [1, 'Confidence 100 %'],
  [null, ''],
])('a confidence of %s reads %s', (confidence, words) => {
  expect(confidenceWords(ended({ confidence }))).toBe(words && `${words}, not calibrated`);
});

test('what held-out questions showed of such a confidence counts more', () => {
  expect(confidenceWords(ended({ confidence: 0.9, calibrated: 0.7 }))).toBe('Confidence 70 %');
  expect(confidenceEntry(ended({ confidence: 0.9, calibrated: 0.7 })).text).toContain('70 were answered correctly');
  expect(confidenceEntry(ended({ confidence: 0.9 })).text).toContain('not how often such answers are right');
  const none = ended({ confidence: 0.9, verdict: 'no_answer_found', reason: 'no_relation', answers: [] });
  expect(confidenceWords(none)).toBe('Confidence 90 %, not calibrated');
  expect(confidenceEntry(none).text).toContain('not calibrated for runs without an answer');
});

test('no confidence is shown if the question names nothing of the graph', () => {
  expect(confidenceWords(ended({ confidence: 1, reason: 'no_topic' }))).toBe('');
});

test('unused words are counted in code points, and hide nothing', () => {
  expect(unusedWords('😀 who is KITT in 1984', ended({ unused_words: [[9, 13], [17, 21]] }))).toBe(
    'Not taken into account: “KITT”, “1984”',
  ); // prettier-ignore
  expect(unusedWords('a\u202eb', ended({ unused_words: [[0, 3]] }))).toBe('Not taken into account: “a⟨U+202E⟩b”');
  expect(unusedWords('a', ended({ unused_words: [] }))).toBe('');
});

function continued(change: NonNullable<Started['continued']>['change'], later: 'keep' | 'ask' = 'ask') {
  const { started } = fold(recorded('condition'));
  if (!started) throw new Error('the run did not start');
  return continuedLines({ ...started, continued: { kept: 4, change, later, scorer: started.scorer } });
}

test('a run says what it goes on from', () => {
  expect(continued(null)).toEqual(['Continues another run: 4 decisions kept']);
  expect(continued({ kind: 'replace', stage: 'search', number: 2 })).toEqual([
    'Continues another run: 4 decisions kept, then: search step 3 was replaced',
    'later decisions are made again',
  ]);
  expect(continued({ kind: 'insert', stage: 'plan', number: 0 })[0]).toMatch(/a decision was added before decision 1$/);
  expect(continuedLines(fold(recorded('condition')).started ?? ({} as Started))).toEqual([]);
});

const whole = fold(recorded('condition').slice(0, 3));
const relation = { id: 'r', label: 'actor', context: '', reverse: false };

function step(position: number): OptionRecord {
  return { kind: 'step', index: position, probability: null, position, relation, leads_to: 'entity', entities: 1, facts: 1 }; // prettier-ignore
}

function open(stage: string, options: OptionRecord[] = []): string {
  const event: Undecided = { kind: 'undecided', stage, number: 0, options, total: 12 };
  return openWords(whole, event);
}

test('a run that stopped says which decision is open', () => {
  expect(open('search', [step(0), { kind: 'none', index: 9, probability: null }])).toBe(
    'which relation to follow from Knight Rider · 12 options',
  );
  expect(open('search', [step(0), step(1)])).toBe('which relation to follow · 12 options');
  expect(open('link')).toBe('what the question is about · 12 options');
  expect(open('prune')).toBe('which condition must hold · 12 options');
  expect(open('plan')).toBe('decision 1 · 12 options');
});

test('a relation that a reading follows backwards points backwards', () => {
  const reading = grown(undefined, { ...step(0), relation: { ...relation, reverse: true } } as OptionRecord, null);
  expect(readingWords(reading)).toBe('the chosen entity ← actor');
});

test('the answers of another reading say how many they are, or why there are none', () => {
  const { end } = fold(recorded('readings'));
  const readings = end?.kind === 'finished' ? (end.readings ?? []) : [];
  expect(readings.map(readingAnswers)).toEqual([
    'no answer found',
    'David Hasselhoff, Edward Mulhare, William Daniels',
  ]);
  expect(readingAnswers({ ...(readings[1] as ReadingRecord), answers_total: 1200 })).toMatch(/ \(3 of 1,200\)$/);
});

test('all rounds together are one line', () => {
  expect(roundsWords(fold(recorded('readings')).rounds)).toBe('Weighed 34 readings in 7 rounds');
});

test('a text that was cut says so, in code points', () => {
  expect(cutWords({ text: '😀😀', length: 2 })).toBe('');
  expect(cutWords({ text: '😀😀', length: 4000 })).toBe('the first 2 of 4,000 characters');
});

test('a weight has three digits, whatever its size', () => {
  expect([0.83214, 0.0312, 12.345, 0].map(weightWords)).toEqual(['0.832', '0.0312', '12.3', '0']);
});

test('a try says what is asked by now, and how probable it is that nothing more is needed', () => {
  const tried = { enough: false, question: 'who is it?', share: 0.031 } as Sufficiency;
  expect([triedWords(tried), triedShareWords(tried)]).toEqual([
    'Not enough yet for “who is it?”',
    'the facts are enough with a probability of 3 %',
  ]);
  expect(triedWords({ ...tried, enough: true })).toBe('Enough to answer “who is it?”');
  expect(triedShareWords({ ...tried, share: null })).toBe('');
});

test('a question that stayed as it is says so', () => {
  const simplified = { before: 'who is it?', after: 'who is it?' } as QuestionSimplified;
  expect(simplifiedWords(simplified)).toBe('“who is it?” was not shortened');
  expect(simplifiedWords({ ...simplified, after: 'who?' })).toBe('Question shortened to “who?”');
});

test('words that went and what a question is about are marked by code points', () => {
  expect(marked('🎬 by Ann now', [[2, 5]], [5, 8])).toEqual([
    { text: '🎬 ', mark: null },
    { text: 'by ', mark: 'gone' },
    { text: 'Ann', mark: 'topic' },
    { text: ' now', mark: null },
  ]);
});

const layer = {
  kind: 'layer_explored' as const,
  layer: 1,
  layers: 1,
  explorer: 'x',
  keep: 40,
  groups: [],
  groups_total: 0,
  entities_before: 1,
  entities_after: 1,
  edges_total: 0,
  edges_kept: 0,
  seconds: 0,
};

test('an explorer that chooses how far it looks shows how probable each number of layers is', () => {
  expect(depthWords({ ...layer, depths: [0.978, 0.0201, 0.0019] })).toBe(
    'Layers needed: 1 layer 98 %, 2 layers 2 %, 3 layers under 1 %',
  );
});

test('one that always explores all of its layers shows nothing of them', () => {
  expect(depthWords(layer)).toBe('');
});
