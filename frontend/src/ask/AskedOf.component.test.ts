import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, test, vi } from 'vitest';

import type { StrategyOut } from '../api/types';
import { USUAL_SWITCHES, type Switches } from '../core/words/strategies';
import { session } from '../shell/session.svelte';
import AskedOf from './AskedOf.svelte';

const READS: StrategyOut = {
  name: 'reads',
  title: 'READS',
  about: 'One at a time.',
  keeps_readings: false,
  determines: false,
  plans: false,
  debates: false,
  beams: false,
  predicts: false,
  own_answers: false,
  fault: null,
};
const BEAM: StrategyOut = { ...READS, name: 'beam', title: 'READS with a width', about: '', keeps_readings: true };
const ALONE: StrategyOut = { ...READS, name: 'zero-shot', title: 'Language model alone', own_answers: true };
const ETD: StrategyOut = { ...READS, name: 'etd', title: 'EtD', determines: true, own_answers: true };
const ROG: StrategyOut = { ...READS, name: 'rog', title: 'RoG', plans: true, own_answers: true };
const PLAN: StrategyOut = { ...READS, name: 'plan', title: 'A plan', fault: 'It needs a language model that writes.' };

function offers(
  strategies: readonly StrategyOut[],
  strategy: StrategyOut | undefined,
  switches: Partial<Switches> = {},
) {
  session.strategies = strategies;
  const told = { onstrategy: vi.fn(), onswitches: vi.fn() };
  render(AskedOf, {
    topic: null,
    others: [],
    graph: 'toy',
    scorers: [],
    scorer: undefined,
    strategy,
    switches: { ...USUAL_SWITCHES, ...switches },
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
  const { onswitches } = offers([READS, BEAM, ALONE], ALONE);
  const own = screen.getByTestId<HTMLInputElement>('own-answers');
  expect(own.checked).toBe(false);
  await fireEvent.click(own);
  expect(onswitches).toHaveBeenCalledWith({ ownAnswers: true });
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
  // Only a model that writes has answers of its own.
  expect(screen.queryByTestId('own-answers')).toBeNull();
});

test('where a model that writes chooses, its own answers may be told', () => {
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
