import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, test, vi } from 'vitest';

import type { StrategyOut } from '../api/types';
import { session } from '../shell/session.svelte';
import AskedOf from './AskedOf.svelte';

const READS: StrategyOut = {
  name: 'reads',
  title: 'READS',
  about: 'One at a time.',
  keeps_readings: false,
  own_answers: false,
  fault: null,
};
const BEAM: StrategyOut = { ...READS, name: 'beam', title: 'READS with a width', about: '', keeps_readings: true };
const ALONE: StrategyOut = { ...READS, name: 'zero-shot', title: 'Language model alone', own_answers: true };
const PLAN: StrategyOut = { ...READS, name: 'plan', title: 'A plan', fault: 'It needs a language model that writes.' };

function offers(strategies: readonly StrategyOut[], strategy: StrategyOut | undefined) {
  session.strategies = strategies;
  const told = { onstrategy: vi.fn(), onwidth: vi.fn(), onown: vi.fn() };
  render(AskedOf, {
    topic: null,
    others: [],
    graph: 'toy',
    scorers: [],
    scorer: undefined,
    strategy,
    width: 3,
    own: false,
    compact: false,
    ontopic: vi.fn(),
    ongraph: vi.fn(),
    onscorer: vi.fn(),
    ...told,
  });
  return told;
}

afterEach(() => (session.strategies = []));

test('where there is one way to answer, nothing is offered', () => {
  offers([READS], READS);
  expect(screen.queryByTestId('strategy-select')).toBeNull();
});

test('a strategy that cannot run here is disabled, and says why', async () => {
  const { onstrategy } = offers([READS, BEAM, PLAN], READS);
  const options = [...screen.getByTestId<HTMLSelectElement>('strategy-select').options];
  expect(options.map(({ disabled }) => disabled)).toEqual([false, false, true]);
  expect(options[2]?.textContent).toBe('A plan – It needs a language model that writes.');
  expect(screen.queryByTestId('width-select')).toBeNull();
  await fireEvent.change(screen.getByTestId('strategy-select'), { target: { value: 'beam' } });
  expect(onstrategy).toHaveBeenCalledWith('beam');
});

test('one in which a model writes asks whether its own answers are to be told', async () => {
  const { onown } = offers([READS, BEAM, ALONE], ALONE);
  const own = screen.getByTestId<HTMLInputElement>('own-answers');
  expect(own.checked).toBe(false);
  await fireEvent.click(own);
  expect(onown).toHaveBeenCalledWith(true);
});

test('one that keeps readings asks how many', async () => {
  const { onwidth } = offers([READS, BEAM], BEAM);
  const width = screen.getByTestId<HTMLSelectElement>('width-select');
  expect([width.value, width.options.length]).toEqual(['3', 10]);
  await fireEvent.change(width, { target: { value: '7' } });
  expect(onwidth).toHaveBeenCalledWith(7);
});
