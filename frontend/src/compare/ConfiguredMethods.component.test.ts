import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, test, vi } from 'vitest';

import { READS, choiceOption, numberOption, strategySample } from '../core/words/strategySamples';
import { session } from '../shell/session.svelte';
import ConfiguredMethods from './ConfiguredMethods.svelte';
import type { OwnConfiguration } from './configurations';

const DOG = strategySample('dog', [numberOption('rounds', 'round'), choiceOption('debaters', '3', '1')]);
const GONE = strategySample('gone', DOG.options, { fault: 'It was never taught.' });

function offers(...own: readonly OwnConfiguration[]) {
  session.strategies = [READS, DOG, GONE];
  const onown = vi.fn();
  const picked = { strategies: ['reads', 'dog'], scorers: ['encoder'], ownAnswers: false, own };
  render(ConfiguredMethods, { props: { picked, onown } });
  return onown;
}

afterEach(() => (session.strategies = []));

test('only strategies with switches that can run here are offered once more', async () => {
  const onown = offers();
  const add = screen.getByTestId<HTMLSelectElement>('add-own-way');
  expect([...add.options].map(({ value }) => value)).toEqual(['', 'dog']);
  await fireEvent.change(add, { target: { value: 'dog' } });
  expect(onown).toHaveBeenCalledWith([{ strategy: 'dog', switches: {} }]);
  expect(add.value).toBe('');
});

test('a switch is changed of its own way alone, and what is there already says so', async () => {
  const [one, two] = [{ rounds: 5 }, {}].map((switches) => ({
    strategy: 'dog',
    switches,
  })) as [OwnConfiguration, OwnConfiguration];
  const onown = offers(one, two);
  expect(screen.getAllByRole('status')).toHaveLength(1);
  await fireEvent.change(screen.getAllByTestId('debaters-select')[1] as Element, { target: { value: '1' } });
  expect(onown).toHaveBeenLastCalledWith([one, { strategy: 'dog', switches: { debaters: '1' } }]);
  await fireEvent.click(screen.getAllByTitle('Remove')[0] as Element);
  expect(onown).toHaveBeenLastCalledWith([two]);
});
