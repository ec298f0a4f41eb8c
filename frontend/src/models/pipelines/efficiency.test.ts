import { expect, it } from 'vitest';

import type { EfficiencyOut } from '../../api/types';
import { efficiencyGround, efficiencySeries } from './efficiency';

const figure = (share: number, stage: string, accuracy: number) => ({
  share,
  stage,
  accuracy,
  questions: 1200 * share,
  samples: 5,
  decisions: 40,
  low: accuracy - 0.1,
  high: accuracy + 0.1,
});
const MEASURED: EfficiencyOut = {
  name: 'sample-1',
  title: 'The bundled sample',
  recipe: 'sample',
  finished_at: '2026-01-02T12:00:00Z',
  tested: 1000,
  questions: null,
  figures: [figure(0.1, 'search', 0.5), figure(0.1, 'all', 0.6), figure(1, 'search', 0.7), figure(1, 'all', 0.8)],
};

it('draws a curve for each stage, from the smallest share on', () => {
  const series = efficiencySeries(MEASURED);
  expect(series.map(({ name }) => name)).toEqual(['All', 'Search']);
  expect(series[1]?.bars.map(({ label, value, interval }) => [label, value, interval])).toEqual([
    ['10 %', 0.5, [0.4, 0.6]],
    ['100 %', 0.7, [0.6, 0.7999999999999999]],
  ]);
  expect(series[0]?.bars[0]?.words).toBe('60.0 % of 40 decisions, 95 % between 50.0 % and 70.0 %');
  expect(series[0]?.bars[1]?.note).toBe('after 1,200 questions, 5 decisions');
});

it('leaves out bounds that are not known', () => {
  const unsure = { ...MEASURED, figures: [{ ...figure(1, 'all', 0.8), low: null, high: null }] };
  expect(efficiencySeries(unsure)[0]?.bars[0]).toMatchObject({ words: '80.0 % of 40 decisions', interval: null });
});

it('says what it was measured on', () => {
  expect(efficiencyGround(MEASURED)).toBe('The bundled sample; at most 1,000 validation decisions of each stage');
  expect(efficiencyGround({ ...MEASURED, questions: 50 })).toContain(', 50 questions of each source;');
});
