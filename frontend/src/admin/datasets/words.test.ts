import { expect, test } from 'vitest';

import type { DatasetOut } from '../../api/types';
import { isAtWork } from '../../core/words/status';
import { datasetTitle, heldOutWords, readerWords, standsWords } from './words';

const LOADED: DatasetOut = {
  id: '00000000-0000-4000-8000-000000000000',
  name: 'television',
  version: 1,
  format: 'discern',
  format_title: 'Discern',
  file: 'tv.jsonl',
  second_file: '',
  file_sha256: 'ab',
  file_bytes: 9,
  reader_version: 1,
  status: 'succeeded',
  reason: '',
  questions: 1200,
  malformed: 3,
  train: 900,
  validation: 300,
  gold_missing: 0,
  gold_problems: [],
  gold_warning: false,
  identity: 'cd',
  identity_algorithm: 'sha256-questions-1',
  same_as: [],
  starter: null,
  created_at: '2026-01-01T00:00:00Z',
  finished_at: null,
  archived: false,
  evaluations: 0,
};

test('a loaded dataset shows what it holds, what was passed over and what is held out', () => {
  expect(standsWords(LOADED)).toBe('1,200 questions, 3 skipped');
  expect(heldOutWords(LOADED)).toBe('300 held out, 900 for training');
  expect(datasetTitle({ ...LOADED, name: 'sample' })).toBe('Bundled sample');
  expect(isAtWork(LOADED)).toBe(false);
});

test('a version shows which reader made it, where that was kept', () => {
  expect(readerWords(LOADED)).toBe('reader version 1');
  expect(readerWords({ ...LOADED, reader_version: 0 })).toBe('reader version unknown');
});

test('a load shows its progress, or that it stopped', () => {
  expect(standsWords({ ...LOADED, status: 'queued', questions: 0, malformed: 0 })).toBe('waiting for a worker');
  expect(standsWords({ ...LOADED, status: 'running', questions: 1, malformed: 0 })).toBe('reading, 1 question so far');
  expect(standsWords({ ...LOADED, status: 'cancelled', malformed: 0 })).toBe('stopped, 1,200 questions stored');
  expect(heldOutWords({ ...LOADED, status: 'failed' })).toBe('');
  expect(isAtWork({ ...LOADED, status: 'running' })).toBe(true);
});
