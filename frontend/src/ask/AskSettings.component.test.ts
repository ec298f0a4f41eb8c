import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, test, vi } from 'vitest';

import type { StrategyOut } from '../api/types';
import type { Switches } from '../core/words/strategies';
import { ALONE, BEAM, ETD, READS, ROG, numberOption, strategySample } from '../core/words/strategySamples';
import { session } from '../shell/session.svelte';
import AskSettings from './AskSettings.svelte';

const PLAN = strategySample('plan', [], { title: 'A plan', fault: 'A plan needs a language model that writes.' });

function offers(strategies: readonly StrategyOut[], strategy: StrategyOut | undefined, switches: Switches = {}) {
  session.strategies = strategies;
  const handlers = { onstrategy: vi.fn(), onswitches: vi.fn() };
  render(AskSettings, {
    topic: null,
    others: [],
    graph: 'toy',
    scorers: [],
    scorer: undefined,
    strategy,
    switches,
    compact: false,
    ontopic: vi.fn(),
    ongraph: vi.fn(),
    onscorer: vi.fn(),
    ...handlers,
  });
  return handlers;
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
  expect(options[2]?.textContent).toBe('A plan needs a language model that writes.');
  expect(screen.queryByTestId('width-select')).toBeNull();
  await fireEvent.change(screen.getByTestId('strategy-select'), { target: { value: 'beam' } });
  expect(onstrategy).toHaveBeenCalledWith('beam');
});

test('a strategy with a writer asks whether answers of the model itself are shown', async () => {
  const { onswitches } = offers([READS, BEAM, ALONE], ALONE);
  const own = screen.getByTestId<HTMLInputElement>('own-answers');
  expect(own.checked).toBe(false);
  await fireEvent.click(own);
  expect(onswitches).toHaveBeenCalledWith({ model_may_answer: true });
});

test('one that keeps readings asks how many', async () => {
  const { onswitches } = offers([READS, BEAM], BEAM);
  const width = screen.getByTestId<HTMLSelectElement>('width-select');
  expect([width.value, width.options.length]).toEqual(['3', 10]);
  await fireEvent.change(width, { target: { value: '7' } });
  expect(onswitches).toHaveBeenCalledWith({ width: 7 });
});

test('one that ranks candidates asks from how many one is chosen, and by whom', async () => {
  const { onswitches } = offers([READS, ETD], ETD);
  const candidates = screen.getByTestId<HTMLSelectElement>('candidates-select');
  const chooses = screen.getByTestId<HTMLSelectElement>('determination-select');
  expect([candidates.value, chooses.value]).toEqual(['3', 'scorer']);
  await fireEvent.change(candidates, { target: { value: '5' } });
  await fireEvent.change(chooses, { target: { value: 'explorer' } });
  expect(onswitches.mock.calls).toEqual([[{ candidates: 5 }], [{ determination: 'explorer' }]]);
  // Ablations are for evaluations, and only a model that writes has answers of its own.
  expect(screen.queryByTestId('candidates_without-select')).toBeNull();
  expect(screen.queryByTestId('own-answers')).toBeNull();
});

test('with a writer as scorer, answers of the model itself may be shown', () => {
  offers([READS, ETD], ETD, { determination: 'writer' });
  expect(screen.queryByTestId('own-answers')).not.toBeNull();
});

test('one that follows plans asks how many, who makes them, and who answers', async () => {
  const { onswitches } = offers([READS, ROG], ROG);
  const [plans, planner, reasoner] = ['plans', 'planner', 'reasoner'].map((name) =>
    screen.getByTestId<HTMLSelectElement>(`${name}-select`),
  ) as [HTMLSelectElement, HTMLSelectElement, HTMLSelectElement];
  expect([plans.value, planner.value, reasoner.value]).toEqual(['3', 'scorer', 'rank']);
  expect(screen.queryByTestId('own-answers')).toBeNull();
  await fireEvent.change(plans, { target: { value: '5' } });
  await fireEvent.change(planner, { target: { value: 'writer' } });
  await fireEvent.change(reasoner, { target: { value: 'writer' } });
  expect(onswitches.mock.calls).toEqual([[{ plans: 5 }], [{ planner: 'writer' }], [{ reasoner: 'writer' }]]);
});

test('an option that no other strategy has is drawn from its declaration', async () => {
  const toy = strategySample('toy', [numberOption('pebbles', 'pebble', { label: 'Pebbles', lead: 'with' })]);
  const { onswitches } = offers([READS, toy], toy);
  const pebbles = screen.getByLabelText<HTMLSelectElement>('Pebbles');
  expect([pebbles.value, pebbles.options[0]?.text, pebbles.title]).toEqual(['3', '1 pebble', 'How many: pebbles.']);
  await fireEvent.change(pebbles, { target: { value: '2' } });
  expect(onswitches).toHaveBeenCalledWith({ pebbles: 2 });
});
