import { expect, it } from 'vitest';

import type { PipelineOut, HeldOutOut } from '../../api/types';
import { pipelineWords, heldOutWords, nextName, stepWords, usualSettings, versionSeries } from './words';

const HELD_OUT: HeldOutOut = {
  id: 'h',
  dataset: 'sample',
  version: 1,
  dataset_id: 'd',
  split: 'validation',
  limit: null,
  graph: 'sample',
  questions: 120,
  pinned_at: '2026-01-01T00:00:00Z',
  pinner: null,
};

const PIPELINE: PipelineOut = {
  id: 'c',
  name: 'first',
  status: 'running',
  reason: '',
  link: 'train',
  steps: [
    { link: 'snapshot', title: 'Snapshot', state: 'done', done: 0, total: 0, says: '' },
    { link: 'train', title: 'Train', state: 'working', done: 3, total: 12, says: 'training' },
  ],
  sources: [],
  start: '',
  kind: 'encoder',
  base: '',
  held_out: HELD_OUT,
  evaluation: null,
  baseline: null,
  against: '',
  comparison: null,
  reviewed_at: null,
  reviewer: null,
  note: '',
  starter: null,
  created_at: '2026-01-01T00:00:00Z',
  finished_at: null,
};

const MEAN = { value: 0.5, interval: { low: 0.4, high: 0.6 } };
const COMPARED = { common: 120, seen: 0, difference: null, right: MEAN, f1: MEAN, fixed: [], broken: [] };

it('shows where a step and a pipeline stand', () => {
  expect(PIPELINE.steps.slice(0, 2).map(stepWords)).toEqual(['done', 'running, training, 3 of 12']);
  expect(pipelineWords(PIPELINE)).toBe('Train: running, training, 3 of 12');
  expect(pipelineWords({ ...PIPELINE, status: 'cancelled' })).toBe('stopped at “Train”');
  expect(pipelineWords({ ...PIPELINE, status: 'failed', reason: 'No data.' })).toBe('No data.');
  expect(pipelineWords({ ...PIPELINE, status: 'succeeded' })).toBe('to be reviewed');
});

it('shows which questions judge, and how many of them', () => {
  expect(heldOutWords(HELD_OUT)).toBe('the validation questions of sample, version 1, on sample: 120 questions');
  expect(heldOutWords({ ...HELD_OUT, split: 'all', limit: 40 })).toContain('all questions of sample');
  expect(heldOutWords({ ...HELD_OUT, limit: 40 })).toContain(': 40 questions');
});

it('draws the models that the pinned questions judged, the oldest first', () => {
  const judged = (id: string, held_out = HELD_OUT) => ({ ...PIPELINE, id, name: id, comparison: COMPARED, held_out });
  const other = { ...HELD_OUT, id: 'other' };
  const [f1] = versionSeries([judged('c3'), PIPELINE, judged('c2', other), judged('c1')], HELD_OUT);
  expect(f1?.bars.map(({ label }) => label)).toEqual(['c1', 'c3']);
  expect(f1?.bars[0]).toMatchObject({ value: 0.5, interval: [0.4, 0.6], href: '/learning/c1' });
});

it('offers a name that is not taken', () => {
  expect(nextName(['model-1', 'model-2'])).toBe('model-3');
});

it('says what is usual for what is trained', () => {
  expect(['', 'new', 'llama'].map((base) => usualSettings(base).epochs)).toEqual(['6', '4', '3']);
});
