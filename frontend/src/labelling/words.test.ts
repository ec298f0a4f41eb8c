import { expect, test } from 'vitest';

import type { RoundOut } from '../api/labelling/annotation';
import { measuredWords, qualityWords, standingWords, updatedWords } from './words';

const MEASURED = { done: 20, right: 17, mean: 0.8766, low: 0.7444, high: 0.97 };
const OPEN: RoundOut = { standing: 'open', round: 1, done: 2, size: 5, percent: 80, measured: null };

test('accuracy is shown with its figures, mean and interval', () => {
  expect(measuredWords(MEASURED)).toBe('17 of 20 right, 0.88 (0.74 to 0.97)');
});

test.each<[Partial<RoundOut>, string]>([
  [{}, '2 of 5 answered'],
  [{ round: 2, done: 0 }, '0 of 5 answered, try 2'],
  [{ standing: 'passed', measured: { ...MEASURED, done: 5, right: 4 } }, 'passed: 4 of 5 right'],
  [{ standing: 'failed', round: 2, measured: { ...MEASURED, done: 5, right: 1 } }, 'not passed, try 2: 1 of 5 right'],
  [{ standing: 'let_in' }, 'admitted'],
])('progress in a round is one line', (more, words) => {
  expect(standingWords({ ...OPEN, ...more })).toBe(words);
});

test('known answers and double labels are shown to managers of a project alone', () => {
  expect(qualityWords({ qualification: null, known_percent: null })).toBe('');
  expect(qualityWords({ qualification: { questions: 1, percent: 100 }, known_percent: null })).toBe(
    'Before the first task, each annotator labels 1 question with known answers. 100 % must be right.',
  );
  expect(qualityWords({ qualification: null, known_percent: 5 })).toContain('5 % of the tasks');
});

test.each<[number, number, string]>([
  [0, 0, 'no label was accepted yet'],
  [1, 0, 'the accepted label is still valid'],
  [12, 0, 'all 12 accepted labels are still valid'],
  [0, 1, 'the accepted label is no longer valid and must be adjudicated again'],
  [1, 1, '1 of 2 accepted labels is no longer valid and must be adjudicated again'],
  [12, 3, '3 of 15 accepted labels are no longer valid and must be adjudicated again'],
])('what came of another version of the graph is a line', (holding, lapsed, words) => {
  const work = {
    to_version: 'seventeenth',
    status: 'succeeded',
    reason: '',
    waits: null,
    done: 15,
    wanted: 15,
    holding,
    lapsed,
    finished_at: '2026-01-01T12:00:00Z',
  } as const;
  expect(updatedWords(work, new Date('2026-01-01T12:03:00Z'))).toBe(
    `Updated to version seventee of the graph 3 min ago: ${words}.`,
  );
});
