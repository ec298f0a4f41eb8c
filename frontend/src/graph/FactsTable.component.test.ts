import { fireEvent, render, screen, within } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';

import FactsTable from './FactsTable.svelte';
import type { FactRow } from './scene';

function row(id: number, source: string, target: string, removed = false): FactRow {
  const end = (label: string, group: number) => ({
    key: `${group}:${label}`,
    group,
    id: `en.${label}`,
    name: label,
    label,
    hollow: false,
  });
  return {
    id,
    source: end(source, 0),
    relation: { id: 'tv.actor', label: 'actor', context: 'TV', reverse: false },
    target: end(target, 1),
    removed,
    highlighted: false,
    note: removed ? 'fails the condition' : '',
  };
}

function shown(rows: readonly FactRow[], more: { chosen?: string; chosenGroup?: number } = {}) {
  const onselect = vi.fn();
  const onpoint = vi.fn();
  render(FactsTable, { rows, filter: '', chosen: null, ...more, onselect, onpoint });
  return { onselect, onpoint };
}

function targets(): (string | null)[] {
  return screen
    .getAllByRole('row')
    .slice(1)
    .map((each) => within(each).getAllByRole('button')[1]?.textContent ?? null);
}

test('a press on a head sorts by its column, and says so', async () => {
  shown([row(1, 'Knight Rider', 'William'), row(2, 'Airwolf', 'Jan'), row(3, 'Airwolf', 'Ernest')]);
  expect(targets().map((text) => text?.slice(1))).toEqual(['William', 'Jan', 'Ernest']);
  const head = screen.getByRole('button', { name: 'To' });
  await fireEvent.click(head);
  expect(targets().map((text) => text?.slice(1))).toEqual(['Ernest', 'Jan', 'William']);
  expect(screen.getByRole('columnheader', { name: 'To' }).getAttribute('aria-sort')).toBe('ascending');
  await fireEvent.click(head);
  expect(targets().map((text) => text?.slice(1))).toEqual(['William', 'Jan', 'Ernest']);
  expect(screen.getByRole('columnheader', { name: 'To' }).getAttribute('aria-sort')).toBe('descending');
});

test('words that no fact contains are reported, and can be cleared', async () => {
  shown([row(1, 'Knight Rider', 'William')]);
  await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'unknown' } });
  expect(screen.getByText(/No fact contains “unknown”/)).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: 'Show all' }));
  expect(targets()).toHaveLength(1);
});

test('a long table is shown a page at a time, and says which part', async () => {
  shown(Array.from({ length: 120 }, (_, index) => row(index, 'Knight Rider', `actor ${index}`)));
  expect(targets()).toHaveLength(50);
  await fireEvent.click(screen.getByRole('button', { name: 'Next' }));
  await fireEvent.click(screen.getByRole('button', { name: 'Next' }));
  expect(targets()).toHaveLength(20);
  expect(screen.getByText('101–120 of 120')).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Next' }).disabled).toBe(true);
});

test('a chosen group marks the facts that lead into it, and a click shows which term was chosen', async () => {
  const { onselect } = shown([row(1, 'Knight Rider', 'William')], { chosenGroup: 1 });
  expect(screen.getAllByRole('row')[1]?.classList.contains('marked')).toBe(true);
  await fireEvent.click(screen.getByRole('button', { name: /William/ }));
  expect(onselect).toHaveBeenCalledWith('1:William');
});
