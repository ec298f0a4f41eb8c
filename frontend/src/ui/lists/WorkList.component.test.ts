import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import { RequestFault } from '../../api/client';
import type { Status } from '../../api/types';
import WorkList from './WorkList.svelte';

function list(statuses: readonly Status[], onpress: () => unknown = () => undefined) {
  const items = statuses.map((status, place) => ({
    id: `${place}`,
    status,
    created_at: new Date().toISOString(),
    starter: place === 0 ? 'Cleo' : null,
  }));
  return render(WorkList, {
    title: 'Loads',
    testid: 'load',
    items,
    waits: 'No worker is running.',
    name: ({ id }) => `graph ${id}`,
    source: ({ id }) => `${id}.tsv`,
    stands: ({ status }) => `it is ${status}`,
    progress: () => ({ done: 3, total: 4 }),
    button: ({ id }) => ({ words: 'Stop', label: `Stop ${id}` }),
    onpress,
    rest: '',
  });
}

test('where nothing is at work there is no list', () => {
  list([]);
  expect(screen.queryByRole('heading')).toBeNull();
});

test('an item says what it is, who began it and how far it is', () => {
  list(['running', 'failed']);
  const [running, failed] = screen.getAllByTestId('load');
  expect(running?.textContent).toMatch(/graph 0.*0\.tsv, just now, Cleo.*it is running/s);
  expect(failed?.textContent).toMatch(/graph 1.*1\.tsv, just now.*it is failed/s);
  expect(screen.getAllByRole('progressbar', { name: 'Progress of graph 0' })).toHaveLength(1);
  expect(screen.queryByRole('progressbar', { name: 'Progress of graph 1' })).toBeNull();
});

test('a missing worker is reported only while something waits for it', () => {
  const { unmount } = list(['queued']);
  expect(screen.getByRole('status').textContent).toBe('No worker is running.');
  unmount();
  list(['failed']);
  expect(screen.queryByRole('status')).toBeNull();
});

test('a refusal is shown, and the action may be repeated', async () => {
  let pressed = 0;
  list(['running'], () => {
    pressed += 1;
    if (pressed === 1) throw new RequestFault('graph_is_loading', 'Not now.', 409);
  });
  const button = screen.getByRole('button', { name: 'Stop 0' });
  await fireEvent.click(button);
  expect((await screen.findByRole('alert')).textContent).toBe('Not now.');
  await waitFor(() => expect(button).toHaveProperty('disabled', false));
  await fireEvent.click(button);
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  expect(pressed).toBe(2);
});
