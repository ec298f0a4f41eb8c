import { expect, test } from 'vitest';

import { cleaned, questionFault } from './question';

test('a question is one line with single blanks', () => {
  expect(cleaned('  who plays\n  KITT? ')).toBe('who plays KITT?');
});

test('an empty or too long question is refused with what to do', () => {
  expect(questionFault('  ', 10)).toContain('Write a question first');
  expect(questionFault('x'.repeat(12), 10)).toContain('Shorten this one by 2');
  expect(questionFault(`${'x'.repeat(10)}   `, 10)).toBeNull();
});
