import { expect, test } from 'vitest';

import { wentWords } from './words';

test('what is deleted with a question is listed in plain words', () => {
  expect([1, 2, 3, 1200].map(wentWords)).toEqual([
    'Its answer',
    'Both runs of it',
    'All 3 runs of it',
    'All 1,200 runs of it',
  ]);
});
