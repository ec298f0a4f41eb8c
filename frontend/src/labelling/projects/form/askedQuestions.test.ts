import { expect, test } from 'vitest';

import { askedOf, askedWords } from './askedQuestions';

test('each graph shows how many questions may be labelled, or why none may', () => {
  const asked = { graphs: [{ graph: 'sample', questions: 2 }] };
  expect([askedOf(asked, 'sample'), askedOf(asked, 'other'), askedOf(null, 'sample')]).toEqual([2, 0, 0]);
  expect(askedWords(2, 'Sample')).toContain('2 questions about Sample');
  expect(askedWords(1, 'Sample')).toContain('1 question about');
  expect(askedWords(0, 'Sample')).toContain('No user has released');
});
