import { expect, test } from 'vitest';

import { isNarrowed, readWanted, writeWanted } from './list';

const OPEN = { search: '', dataset: '', group: '', starred: false, page: 1 };

test('the address keeps what is looked for', () => {
  const wanted = { search: 'reads chain', dataset: 'WebQSP', group: 'paper & more', starred: true, page: 3 };
  expect(readWanted(writeWanted(wanted))).toEqual(wanted);
  expect(writeWanted(OPEN)).toBe('');
});

test('what makes no sense is left open', () => {
  expect(readWanted('?page=-1&starred=yes&other=1')).toEqual(OPEN);
  expect(readWanted('?page=1e99')).toEqual(OPEN);
});

test('a page alone narrows nothing', () => {
  expect(isNarrowed({ ...OPEN, page: 2, search: ' ' })).toBe(false);
  expect(isNarrowed({ ...OPEN, group: 'paper' })).toBe(true);
  expect(isNarrowed({ ...OPEN, starred: true })).toBe(true);
});
