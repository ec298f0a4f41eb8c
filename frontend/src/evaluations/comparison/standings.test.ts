import { describe, expect, it } from 'vitest';

import type { StandingOut, StandingsOut } from '../../api/evaluations/comparisons';
import { COLUMNS, accuracySeries, bestOf, boundsWords, casesAddress, meanWords, voteSeries } from './standings';

const mean = (value: number) => ({ value, low: value - 0.1, high: value + 0.1 });
const standing = (id: string, right: number, seconds: number | null): StandingOut =>
  ({
    evaluation: { id },
    right: mean(right),
    seconds: seconds === null ? null : mean(seconds),
    calls: null,
  }) as StandingOut;

const STANDINGS: StandingsOut = {
  common: 10,
  unlike: [],
  reworded: 0,
  standings: [standing('one', 0.5, 2), standing('two', 0.7, 0.4), standing('theirs', 0.6, null)],
  agreement: {
    kinds: [],
    right: mean(0.7),
    f1: mean(0.6),
    degrees: [
      { agree: 3, questions: 6, right: mean(0.8), f1: mean(0.8) },
      { agree: 0, questions: 4, right: mean(0.2), f1: mean(0.2) },
    ],
  },
};
const column = (name: string) => {
  const found = COLUMNS.find((each) => each.name === name);
  if (!found) throw new Error(name);
  return found;
};

describe('several evaluations in one table', () => {
  it('show a mean and its interval', () => {
    const { words } = column('right');
    expect(meanWords(mean(0.5), words)).toBe('50.0 %');
    expect(boundsWords(mean(0.5), words)).toBe('40.0 % to 60.0 %');
    expect(meanWords(null, words)).toBe('–');
    expect(boundsWords(null, words)).toBe('');
    expect(meanWords(mean(0.25), column('seconds').words)).toBe('0.25 s');
    expect(meanWords(mean(1234.4), column('tokens_in').words)).toBe('1,234');
  });

  it('mark the most of shares and the least of costs, among those that are known', () => {
    expect(bestOf(STANDINGS.standings, column('right'))).toBe(0.7);
    expect(bestOf(STANDINGS.standings, column('seconds'))).toBe(0.4);
    expect(bestOf(STANDINGS.standings, column('calls'))).toBeNull();
    expect(bestOf([standing('one', 0.5, 1), standing('two', 0.5, 1)], column('right'))).toBeNull();
  });

  it('are points of accuracy against seconds, except those without known seconds', () => {
    const series = accuracySeries(STANDINGS, ['READS', 'RoG', 'Theirs']);
    expect(series.map(({ name, bars: [point] }) => [name, point?.at, point?.value, point?.interval])).toEqual([
      ['A READS', 2, 0.5, [0.4, 0.6]],
      ['B RoG', 0.4, 0.7, [expect.closeTo(0.6), expect.closeTo(0.8)]],
    ]);
  });

  it('show the vote by how many agree, the fewest first', () => {
    expect(voteSeries(STANDINGS)[0]?.bars.map(({ label, value }) => [label, value])).toEqual([
      ['no answer', 0.2],
      ['3 of 3', 0.8],
    ]);
    expect(voteSeries({ ...STANDINGS, agreement: null })).toEqual([]);
  });

  it('lead to the cases of a kind', () => {
    expect(casesAddress(['one', 'two', 'three'], 'all agree, wrong')).toBe(
      '/review/one?agreement=all+agree%2C+wrong&beside=two&beside=three',
    );
  });
});
