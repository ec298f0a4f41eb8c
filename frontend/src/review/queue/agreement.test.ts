import { describe, expect, it } from 'vitest';

import { kappaWords, matrixOf } from './agreement';

const cell = (proposed: string, said: string, cases: number) => ({ proposed, said, cases });

describe('the agreement of verdicts with what is proposed', () => {
  it('lays the table out, what agrees on the diagonal', () => {
    const { causes, columns, cases } = matrixOf([
      cell('linking', 'linking', 8),
      cell('wrong place', 'linking', 3),
      cell('linking', 'not an error', 1),
    ]);
    expect(causes).toEqual(['linking', 'wrong place']);
    expect(columns).toEqual(['linking', 'not an error']);
    expect(cases('linking', 'linking')).toBe(8);
    expect(cases('wrong place', 'not an error')).toBe(0);
  });

  it('puts what was said in the order of what is proposed, so that equal ones stand in a diagonal', () => {
    const { causes, columns } = matrixOf([
      cell('linking', 'wrong place', 5),
      cell('wrong place', 'wrong place', 4),
      cell('linking', 'linking', 3),
    ]);
    expect(causes).toEqual(['linking', 'wrong place']);
    expect(columns).toEqual(['linking', 'wrong place']);
  });

  it('says what κ is, and why there is none', () => {
    expect(kappaWords({ cases: 0, kappa: null, table: [] })).toBe('no verdict yet');
    expect(kappaWords({ cases: 1, kappa: null, table: [] })).toBe('κ is not defined, 1 case');
    expect(kappaWords({ cases: 1200, kappa: 0.834, table: [] })).toBe('κ 0.83 over 1,200 cases, goal 0.80');
    expect(kappaWords({ cases: 5, kappa: -0.1, table: [] })).toBe('κ −0.10 over 5 cases, goal 0.80');
  });
});
