import { expect, test } from 'vitest';

import { answersBetween } from './words';

test('the numbers of right answers per question have the words of reports', () => {
  expect(answersBetween(1, 1)).toBe('1');
  expect(answersBetween(2, 5)).toBe('2 to 5');
  expect(answersBetween(6, null)).toBe('6 or more');
});
