import { expect, test } from 'vitest';

import type { AgreementFigure, AgreementTaskOut, SuggestionContrast } from '../../api/labelling/agreement';
import { contrastWords, differenceWords, groundWords, intervalWords, taskWords, valueWords } from './words';

const FIGURE: AgreementFigure = { value: 0.5708, questions: 8, why: '', low: 0.2666, high: 0.875, left_out: {} };

test.each<[number | null, string]>([
  [0.5708, '0.57'],
  [-0.25, '−0.25'],
  [-0.001, '0.00'],
  [null, '–'],
])('a figure has two digits, and none where it is not defined', (value, words) => {
  expect(valueWords(value)).toBe(words);
});

test('a figure shows its interval, over how many questions it is, and what it leaves out', () => {
  expect(intervalWords(FIGURE)).toBe('0.27 to 0.88');
  expect(intervalWords({ ...FIGURE, low: null, high: null })).toBe('');
  expect(groundWords(FIGURE)).toBe('Over 8 questions.');
  expect(groundWords({ ...FIGURE, questions: 1, left_out: { 'questions with one label': 1_200 } })).toBe(
    'Over 1 question. Left out: questions with one label (1,200).',
  );
});

const difference = (value: number | null, low: number | null, high: number | null): SuggestionContrast => ({
  what: 'agreement',
  shown: FIGURE,
  blind: FIGURE,
  difference: { value, questions: 9, why: value === null ? 'There are not both.' : '', low, high },
});

test.each<[SuggestionContrast, string]>([
  [difference(0.2, 0.05, 0.35), '+0.20 with a suggestion, between 0.05 and 0.35: significant'],
  [difference(-0.1, -0.3, 0.1), '−0.10 with a suggestion, between −0.30 and 0.10: not significant'],
  [difference(0.5, null, null), '+0.50 with a suggestion; too few questions for a conclusion'],
  [difference(null, null, null), 'There are not both.'],
])('a difference says whether chance would do as much', (contrast, words) => {
  expect(differenceWords(contrast)).toBe(words);
});

test('seconds are whole ones', () => {
  expect(contrastWords('seconds', -45.4)).toBe('−45 s');
  expect(contrastWords('seconds', null)).toBe('–');
});

const TASK: AgreementTaskOut = {
  id: 1,
  position: 1,
  question: 'who?',
  question_id: 'q1',
  labels: [
    { who: 'Ben', kind: 'derivation' },
    { who: 'Dan', kind: 'derivation' },
  ],
  agreed: false,
  answers: 1 / 6,
  same_derivation: 0,
  distance: 2,
  facts: 0.1,
  parted: 'search',
  shown: null,
};

test('a task says where its labels part', () => {
  expect(taskWords(TASK)).toBe('answers 0.17, first difference: Search, 2 edits');
  expect(taskWords({ ...TASK, agreed: true })).toBe('all equal');
  const labels = [...TASK.labels.slice(1), { who: '', kind: 'reword' as const }];
  expect(taskWords({ ...TASK, labels, answers: null, distance: null, parted: null })).toBe(
    'no answers to compare, of different kinds',
  );
});
