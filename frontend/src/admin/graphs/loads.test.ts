import { expect, test } from 'vitest';

import type { GraphLoadOut } from '../../api/types';
import { loadOf, nameFault, nameOf, progressWords, unfinished } from './loads';

const load = (more: Partial<GraphLoadOut>): GraphLoadOut => ({
  id: 'one',
  name: 'people',
  title: 'People',
  status: 'running',
  reason: '',
  format: 'tsv',
  names_from_ids: true,
  file_name: 'people.tsv',
  names_file_name: '',
  sha256: '',
  replaces: '',
  stage: '',
  lines: 0,
  done: 0,
  total: null,
  fraction: null,
  malformed: 0,
  kept: 0,
  triples: null,
  version: '',
  created_at: '2026-01-01T00:00:00Z',
  finished_at: null,
  starter: null,
  file: null,
  names_file: null,
  ...more,
});

test.each<[string, Partial<GraphLoadOut>]>([
  ['waiting for a worker', { status: 'queued' }],
  ['Another process is loading it.', { status: 'queued', reason: 'Another process is loading it.' }],
  ['beginning', {}],
  ['reading: 1 line read', { stage: 'reading', lines: 1 }],
  ['sorting 120,000 lines', { stage: 'arranging', lines: 120_000 }],
  ['writing: 5,000 of 12,000 rows stored', { stage: 'writing', done: 5_000, total: 12_000 }],
  ['creating indexes', { stage: 'indexing' }],
  ['stopped', { status: 'cancelled' }],
  ['stopped; the previous graph is unchanged', { status: 'cancelled', replaces: 'abc' }],
  ['It is empty.', { status: 'failed', reason: 'It is empty.' }],
  ['There are none.\nline 1: a⟨U+202E⟩b', { status: 'failed', reason: 'There are none.\nline 1: a\u202Eb' }],
  ['3 facts loaded', { status: 'succeeded', triples: 3 }],
])('%s', (words, more) => {
  expect(progressWords(load(more), [load(more)])).toBe(words);
});

test('one that waits for another says so', () => {
  const queued = load({ status: 'queued' });
  expect(progressWords(queued, [queued, load({ name: 'other' })])).toContain('graphs are loaded one at a time');
});

test('of each name the last load counts', () => {
  const [failed, earlier] = [load({ id: 'b', status: 'failed' }), load({ id: 'a', status: 'cancelled' })];
  expect(unfinished([failed, earlier])).toEqual([failed]);
  expect(unfinished([load({ status: 'succeeded' }), failed])).toEqual([]);
});

test('a graph knows the load that it came from', () => {
  const done = load({ status: 'succeeded', version: 'v2' });
  expect(loadOf({ name: 'people', version: 'v2' }, [done])).toBe(done);
  expect(loadOf({ name: 'people', version: 'v3' }, [done])).toBeUndefined();
});

test.each([
  ['people.tsv', 'people'],
  ['My  Facts (2).tsv.gz', 'my-facts-2'],
  ['_a__b-.nt', 'a-b'],
  ['Größe.ttl', 'gr-e'],
  ['…', ''],
])('%s suggests %s', (file, name) => {
  expect(nameOf(file)).toBe(name);
  if (name) expect(nameFault(name, [])).toBeNull();
});

test.each([
  ['', /Give the graph a name/],
  ['My Graph', /lower-case letters/],
  ['a'.repeat(101), /100 characters/],
  ['taken', /A graph “taken” exists already/],
])('the name %j is refused', (name, fault) => {
  expect(nameFault(name, ['taken'])).toMatch(fault);
});
