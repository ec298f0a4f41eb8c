import { expect, test } from 'vitest';

import { wentWords } from './words';

test('what goes with a question is told in plain words', () => {
  expect([1, 2, 3, 1200].map(wentWords)).toEqual([
    'Its answer',
    'Both times that you asked it',
    'All 3 times that you asked it',
    'All 1,200 times that you asked it',
  ]);
});
