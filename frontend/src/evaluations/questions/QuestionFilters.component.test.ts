import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';

import type { Filter } from './query';
import QuestionFilters from './QuestionFilters.svelte';

function shown(filter: Filter, compared = false) {
  const change = vi.fn<(changes: Filter) => void>();
  render(QuestionFilters, {
    filter,
    labels: [{ name: 'type', values: ['actor to film'] }],
    compared,
    labelledby: 'questions',
    change,
  });
  return change;
}

test('every filter shows its own change alone, and the empty choice takes it back', async () => {
  const change = shown({ case: 'E1' });
  await fireEvent.change(screen.getByLabelText('Answer'), { target: { value: '0' } });
  expect(change).toHaveBeenLastCalledWith({ right: false });
  await fireEvent.change(screen.getByLabelText('Label'), { target: { value: 'type=actor to film' } });
  expect(change).toHaveBeenLastCalledWith({ label: 'type=actor to film' });
  await fireEvent.change(screen.getByLabelText('Error class'), { target: { value: '' } });
  expect(change).toHaveBeenLastCalledWith({ case: undefined });
});

test('the orders are those of the stages too, by the labels that all screens use', () => {
  shown({});
  const orders = [...screen.getByLabelText<HTMLSelectElement>('Order').options].map(({ value, text }) => [value, text]);
  expect(orders.slice(3)).toEqual([
    ['link', 'slowest first in “Begin”'],
    ['search', 'slowest first in “Search”'],
    ['prune', 'slowest first in “Prune”'],
    ['infer', 'slowest first in “Answer”'],
  ]);
});

test('what a bar chose is a chip, and dropping it leaves open all that it chose', async () => {
  const change = shown({ f1_from: 0.25, f1_below: 0.5 });
  await fireEvent.click(screen.getByRole('button', { name: 'Remove the filter F1 from 0.25 to 0.5' }));
  expect(change).toHaveBeenLastCalledWith({ f1_from: undefined, f1_below: undefined });
});

test('only beside another evaluation can changed questions be asked for', () => {
  shown({}, false);
  expect(screen.queryByLabelText('Changed')).toBeNull();
  shown({}, true);
  expect(screen.getByLabelText('Changed')).toBeTruthy();
});
