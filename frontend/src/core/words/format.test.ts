import { expect, test } from 'vitest';

import { clockWords, dayWords, decimal, fixed, momentWords, percent } from './format';

test('a number has its thousands set apart and only the digits that matter', () => {
  expect([decimal(1234.5678, 2), decimal(3, 2)]).toEqual(['1,234.57', '3']);
});

test('a figure has a fixed number of digits, a minus sign and no negative zero', () => {
  expect([fixed(0.5, 2), fixed(-1.2, 2), fixed(-0.001, 2), fixed(null, 2)]).toEqual(['0.50', '−1.20', '0.00', '–']);
  expect(fixed(1234.56, 1)).toBe('1,234.6');
  expect([percent(0.8347), percent(undefined)]).toEqual(['83.5 %', '–']);
});

test('a date names its month', () => {
  expect(dayWords('2026-11-27T12:00:00')).toBe('27 November 2026');
  expect(momentWords('2026-11-27T14:03:27')).toBe('27 November 2026 at 14:03');
  expect(momentWords('2026-11-27T14:03:27', 'second')).toBe('27 November 2026 at 14:03:27');
  expect(clockWords('2026-11-27T14:03:27')).toBe('14:03:27');
});

const SOURCES = import.meta.glob<string>('/src/**/*.{svelte,ts}', { query: '?raw', import: 'default', eager: true });

test.each([
  /\.toLocale\w*String\(/,
  /\bat\.slice\(0, 10\)/,
  /\* 100\)\}? ?%`/,
  /\.toFixed\(/,
  /new Intl\.(Date|Number)/,
])('nothing else formats numbers or dates: %s', (raw) => {
  const written = Object.entries(SOURCES).filter(([file]) => !/\/format(\.test)?\.ts$/.test(file));
  expect(written.length).toBeGreaterThan(300);
  expect(written.filter(([, source]) => raw.test(source)).map(([file]) => file)).toEqual([]);
});
