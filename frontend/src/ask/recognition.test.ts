import { expect, test } from 'vitest';

import type { RecognisedOut } from '../api/types';
import { partsOf, rewritten, type Part } from './recognition.svelte';

const named = (start: number, end: number): RecognisedOut => ({ start, end, likeness: 'name', entities: [] });

test('a question is split at the names, counted in characters and not in halves of them', () => {
  const parts = partsOf('🎬 who made Night Rider?', [named(11, 22), named(17, 22)]);
  expect(parts.map(({ words }) => words)).toEqual(['🎬 who made ', 'Night Rider', '?']);
  expect(rewritten(parts, parts[1] as Part, 'Knight Rider')).toBe('🎬 who made Knight Rider?');
});

test('a question that names nothing is one part, and an empty one none', () => {
  expect(partsOf('who?', [])).toEqual([{ words: 'who?', named: null }]);
  expect(partsOf('', [])).toEqual([]);
});
