import { describe, expect, it } from 'vitest';

import { clicked, remaining } from './choice';

const KEYS = ['a', 'b', 'c', 'd'];
const after = (chosen: readonly string[], key: string, from: string | null = null) =>
  [...clicked(new Set(chosen), KEYS, key, from)].sort();

describe('choosing rows', () => {
  it('takes a row, and takes it back', () => {
    expect(after([], 'b')).toEqual(['b']);
    expect(after(['b', 'c'], 'b')).toEqual(['c']);
  });

  it('takes a range both ways, and takes it back', () => {
    expect(after(['a'], 'c', 'a')).toEqual(['a', 'b', 'c']);
    expect(after(['d'], 'b', 'd')).toEqual(['b', 'c', 'd']);
    expect(after(['a', 'b', 'c', 'd'], 'c', 'b')).toEqual(['a', 'd']);
  });

  it('takes the row alone where the range began on another page', () => {
    expect(after(['x'], 'c', 'x')).toEqual(['c', 'x']);
  });

  it('loses what is no longer listed', () => {
    const chosen = new Set(['a', 'x']);
    expect([...remaining(chosen, KEYS)]).toEqual(['a']);
    expect(remaining(chosen, ['x', ...KEYS])).toBe(chosen);
  });
});
