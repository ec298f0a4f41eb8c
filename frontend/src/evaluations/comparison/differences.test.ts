import { expect, test } from 'vitest';

import { differenceWords, intervalWords } from './differences';

const wordsOf = (difference: number, low: number, high: number) =>
  differenceWords({ before: 0.5, after: 0.5 + difference, difference, interval: { low, high } });

test('a difference is shown in points with its interval', () => {
  expect(wordsOf(0.021, 0.004, 0.039)).toBe('better by 2.1 points, between 0.4 and 3.9');
  expect(wordsOf(-0.021, -0.039, -0.004)).toBe('worse by 2.1 points, between 0.4 and 3.9');
});

test('what may be chance is not called better or worse', () => {
  expect(wordsOf(0.01, -0.012, 0.03)).toBe('no significant difference: +1.0 points, between −1.2 and +3.0');
  expect(wordsOf(0, 0, 0)).toBe('the same');
});

test('an interval is shown in per cent', () => {
  expect(intervalWords({ low: 0.2266, high: 0.3667 })).toBe('22.7 to 36.7 %');
});
