import { describe, expect, test } from 'vitest';

import { differ, outcomeWords } from './outcome';

const answered = (...answers: string[]) => ({ status: 'succeeded', verdict: 'answered', answers }) as const;

describe('what became of a run', () => {
  test('is its answers, or why there are none', () => {
    expect(outcomeWords(answered('Jamaican English', 'Jamaican Patois'))).toBe('Jamaican English, Jamaican Patois');
    expect(outcomeWords({ status: 'running', verdict: null, answers: [] })).toBe('running');
    expect(outcomeWords({ status: 'failed', verdict: null, answers: [] })).toBe('failed');
    expect(outcomeWords({ status: 'succeeded', verdict: 'not_in_graph', answers: [] })).toBe('not in this graph');
  });

  test('differs where other things were answered, in whichever order', () => {
    expect(differ([answered('a', 'b'), answered('b', 'a')])).toBe(false);
    expect(differ([answered('a'), answered('b')])).toBe(true);
    expect(differ([answered('a'), { status: 'succeeded', verdict: 'not_in_graph', answers: [] }])).toBe(true);
    expect(differ([answered('a'), { status: 'failed', verdict: null, answers: [] }])).toBe(false);
    expect(differ([])).toBe(false);
  });
});
