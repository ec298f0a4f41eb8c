import { describe, expect, it } from 'vitest';

import { ALONE, BEAM, READS, strategySample } from '../core/words/strategySamples';
import {
  MAX_CONFIGURATIONS,
  isDuplicate,
  someAnswerByThemselves,
  defaultStrategies,
  configurationsOf,
  type OwnConfiguration,
} from './configurations';

const WITHOUT = strategySample('written', [], { fault: 'It needs a model that writes.' });

describe('the ways that are set side by side', () => {
  it('are each strategy with each model, in the order of the strategies', () => {
    const chosen = { strategies: ['beam', 'reads'], scorers: ['encoder', 'lexical'], ownAnswers: false, own: [] };
    const ways = configurationsOf([READS, BEAM], chosen);
    expect(ways.map(({ strategy, scorer }) => [strategy, scorer])).toEqual([
      ['reads', 'encoder'],
      ['reads', 'lexical'],
      ['beam', 'encoder'],
      ['beam', 'lexical'],
    ]);
    expect(ways.map(({ width }) => width)).toEqual([undefined, undefined, 3, 3]);
  });

  it('are a strategy once more where it has other switches, and none twice', () => {
    const wide = { strategy: 'beam', switches: { width: 5 } };
    const usual = { strategy: 'beam', switches: {} };
    const of = (strategies: readonly string[], own: readonly OwnConfiguration[]) => ({
      ...{ strategies, scorers: ['encoder'], ownAnswers: false, own },
    });
    const both = of(['reads', 'beam'], [wide, wide, usual]);
    expect(configurationsOf([READS, BEAM], both).map(({ strategy, width }) => [strategy, width])).toEqual([
      ['reads', undefined],
      ['beam', 3],
      ['beam', 5],
    ]);
    expect([0, 1, 2].map((at) => isDuplicate([READS, BEAM], both, at))).toEqual([false, true, true]);
    // A strategy may stand there with its own switches alone.
    const alone = of(['reads'], [usual]);
    expect(configurationsOf([READS, BEAM], alone)).toHaveLength(2);
    expect(isDuplicate([READS, BEAM], alone, 0)).toBe(false);
  });

  it('leave out a strategy that cannot run here', () => {
    expect(
      configurationsOf([WITHOUT], { strategies: ['written'], scorers: ['encoder'], ownAnswers: false, own: [] }),
    ).toEqual([]);
    expect(defaultStrategies([READS, WITHOUT, BEAM])).toEqual(['reads', 'beam']);
  });

  it('show the answers of the model itself if that is chosen and there is a writer', () => {
    const chosen = { strategies: ['reads', 'alone'], scorers: ['encoder'], ownAnswers: true, own: [] };
    expect(configurationsOf([READS, ALONE], chosen).map((way) => way.model_may_answer)).toEqual([false, true]);
    expect(someAnswerByThemselves([READS, ALONE], ['reads'])).toBe(false);
    expect(someAnswerByThemselves([READS, ALONE], ['alone'])).toBe(true);
  });

  it('are at first no more than the site takes', () => {
    const many = Array.from({ length: MAX_CONFIGURATIONS + 3 }, (_, index) => ({ ...READS, name: `${index}` }));
    expect(defaultStrategies(many)).toHaveLength(MAX_CONFIGURATIONS);
  });
});
