import { describe, expect, it } from 'vitest';

import { baselineWords, choicesInOrder, choiceWords } from './words';

describe('the shares of right choices', () => {
  it('stand in the order of the stages, whatever their order in the card', () => {
    const shares = { search: 0.9, 'not None': 0.8, webqsp: 0.7, None: 0.95, all: 0.85, infer: 1, link: 0.5 };
    expect(choicesInOrder(shares).map(([of, share]) => `${choiceWords(of)} ${share}`)).toEqual([
      'All 0.85',
      'Begin 0.5',
      'Search 0.9',
      'Answer 1',
      'webqsp 0.7',
      'None is wrong 0.8',
      'None is right 0.95',
    ]);
  });

  it('are set beside plain rules, whose names are words', () => {
    expect(baselineWords('words')).toBe('Word overlap');
    expect(baselineWords('another')).toBe('another');
  });
});
