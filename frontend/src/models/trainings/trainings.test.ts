import { describe, expect, test } from 'vitest';

import type { TrainingOut } from '../../api/types';
import { isAtWork } from '../../core/words/status';
import { baseTitle, nameFault, progressWords, unfinished } from './trainings';

const QUEUED: TrainingOut = {
  id: '1',
  name: 'small',
  recipe: 'sample',
  lessons: [],
  start: '',
  kind: 'encoder',
  base: '',
  queue: 'cpu.background',
  log: [],
  status: 'queued',
  reason: '',
  stage: '',
  epoch: 0,
  of_epochs: 0,
  done: 0,
  total: 0,
  loss: null,
  created_at: '2026-01-02T12:00:00Z',
  finished_at: null,
  starter: 'Cleo',
};
const RUNNING: TrainingOut = {
  ...QUEUED,
  id: '2',
  status: 'running',
  stage: 'training',
  epoch: 2,
  of_epochs: 8,
  done: 1200,
  total: 4000,
  loss: 0.41837,
};

describe('a training says where it stands', () => {
  test.each([
    [QUEUED, [QUEUED], 'waiting for a worker'],
    [QUEUED, [QUEUED, RUNNING], 'waiting: models are trained one at a time'],
    [QUEUED, [QUEUED, { ...RUNNING, queue: 'gpu.background' }], 'waiting for a worker'],
    [RUNNING, [RUNNING], 'training, epoch 2 of 8, 1,200 of 4,000, loss 0.418'],
    [{ ...RUNNING, stage: 'reading', epoch: 0, loss: null }, [], 'reading, 1,200 of 4,000'],
    [{ ...RUNNING, stage: '' }, [], 'beginning'],
    [{ ...RUNNING, status: 'cancelled' as const }, [], 'stopped'],
    [{ ...RUNNING, status: 'failed' as const, reason: 'The disk is full.' }, [], 'The disk is full.'],
  ])('%#', (training, others, words) => {
    expect(progressWords(training, others)).toBe(words);
  });

  test('and is listed until its model is there', () => {
    const done = { ...RUNNING, id: '3', status: 'succeeded' as const };
    expect(unfinished([QUEUED, done, RUNNING])).toEqual([QUEUED, RUNNING]);
    expect([QUEUED, RUNNING, done].map(isAtWork)).toEqual([true, true, false]);
  });
});

test('a base says what is trained from it', () => {
  expect(baseTitle('new')).toBe('a small language model, from scratch');
  expect(baseTitle('llama')).toBe('llama, fine-tuned');
});

test.each([
  ['', 'Give the model a name'],
  ['Small', 'lower-case letters'],
  ['small--one', 'single hyphens'],
  ['-small', 'single hyphens'],
  ['a'.repeat(61), 'at most 60'],
  ['encoder', 'A model “encoder” exists already'],
])('the name %j is refused', (name, fault) => {
  expect(nameFault(name, ['encoder'])).toContain(fault);
});

test.each(['small', 'small-2', 'web_qsp', 'a'.repeat(60)])('the name %j will do', (name) => {
  expect(nameFault(name, ['encoder'])).toBeNull();
});
