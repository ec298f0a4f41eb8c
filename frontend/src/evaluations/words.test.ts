import { expect, test } from 'vitest';

import { answersBetween } from './words';

test('how many right answers questions have is told as reports tell it', () => {
  expect(answersBetween(1, 1)).toBe('1');
  expect(answersBetween(2, 5)).toBe('2 to 5');
  expect(answersBetween(6, null)).toBe('6 or more');
});
