import { expect, test } from 'vitest';

import type { StrategyOut } from '../api/types';
import { strategyNamed, strategyWords } from './strategies';

function strategy(name: string, keeps_readings: boolean): StrategyOut {
  return { name, title: name.toUpperCase(), about: '', keeps_readings, own_answers: false, fault: null };
}

const STRATEGIES = [strategy('reads', false), strategy('beam', true), strategy('plan', false)];

test('only what is not the usual way is told', () => {
  expect(strategyWords(STRATEGIES, 'reads', 3)).toBe('');
  expect(strategyWords(STRATEGIES, 'beam', 3)).toBe('BEAM, keeping 3 readings');
  expect(strategyWords(STRATEGIES, 'plan', 3)).toBe('PLAN');
  expect(strategyWords(STRATEGIES, 'of another day', 3)).toBe('of another day');
  expect(strategyWords([], 'beam', 3)).toBe('');
});

test('where a strategy is no longer there, the usual one is offered', () => {
  expect(strategyNamed(STRATEGIES, 'beam')?.name).toBe('beam');
  expect(strategyNamed(STRATEGIES, 'of another day')?.name).toBe('reads');
  expect(strategyNamed(STRATEGIES, null)?.name).toBe('reads');
  expect(strategyNamed([], 'beam')).toBeUndefined();
});
