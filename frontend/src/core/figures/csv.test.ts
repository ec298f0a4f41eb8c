import { expect, test } from 'vitest';

import { csvOf } from './csv';

test('cells are quoted where they have to be', () => {
  expect(
    csvOf([
      ['a', 'b, c', 'say "d"'],
      [1, 0.25, null],
    ]),
  ).toBe('a,"b, c","say ""d"""\r\n1,0.25,\r\n');
});

test('what a spreadsheet would take for a formula is none, and numbers stay numbers', () => {
  expect(csvOf([['=1+1', '@x', '-2.5', -3]])).toBe("'=1+1,'@x,-2.5,-3\r\n");
});
