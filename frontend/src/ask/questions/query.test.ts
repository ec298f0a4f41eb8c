import { expect, test } from 'vitest';

import { readWanted, writeWanted } from './query';

test('an address keeps which questions are listed', () => {
  const wanted = { search: 'knight & rider', starred: true, page: 3 };
  expect(readWanted(writeWanted(wanted))).toEqual(wanted);
  expect(writeWanted({ search: '', starred: false, page: 1 })).toBe('');
});

test('what makes no sense in an address is left open', () => {
  const open = { search: '', starred: false, page: 1 };
  for (const query of ['', '?page=-2', '?page=1.5', '?page=1e12&starred=yes', '?page=x'])
    expect(readWanted(query)).toEqual(open);
});
