import { render, screen } from '@testing-library/svelte';
import { createRawSnippet } from 'svelte';
import { expect, test, vi } from 'vitest';

import { RequestFault } from '../../api/client';
import Loaded from './Loaded.svelte';
import type { Resource } from './resource.svelte';

const content = createRawSnippet((value: () => string) => ({ render: () => `<p>${value()}</p>` }));
const nothing = createRawSnippet(() => ({ render: () => '<p>Nothing is here.</p>' }));

function shown(state: Partial<Resource<string>>, title?: string) {
  const reload = vi.fn();
  const of = { value: null, fault: null, loading: false, isPolled: false, reload, ...state } as Resource<string>;
  render(Loaded<string, true>, { of, children: content, absent: nothing, ...(title === undefined ? {} : { title }) });
  return reload;
}

const refused = (status: number) => new RequestFault('refused', 'It is refused.', status);

test('before the first answer there is neither content nor a fault', () => {
  shown({});
  expect(screen.queryByRole('paragraph')).toBeNull();
});

test('what cannot be shown says why, and is tried again', () => {
  const reload = shown({ fault: refused(503) }, 'The graphs cannot be shown');
  expect(screen.getByRole('alert').textContent).toMatch(/The graphs cannot be shown.*It is refused\./s);
  screen.getByRole('button', { name: 'Try again' }).click();
  expect(reload).toHaveBeenCalledOnce();
});

test('after a fault, the content stays and the fault is shown above it', () => {
  shown({ value: 'found', fault: refused(503) }, 'The graphs cannot be shown');
  expect(screen.getByText('found')).toBeTruthy();
  expect(screen.getByRole('alert').textContent).toContain('It is refused.');
});

test('where it is polled, a fault says only that the content is old', () => {
  shown({ value: 'found', fault: refused(503), isPolled: true });
  expect(screen.getByRole('status').textContent).toContain('retries automatically');
  expect(screen.queryByRole('button')).toBeNull();
});

test('a missing object replaces an old value; a refusal is not taken for a missing object', () => {
  shown({ value: 'found', fault: refused(404) });
  expect(screen.getByText('Nothing is here.')).toBeTruthy();
  expect(screen.queryByText('found')).toBeNull();
});

test('what this account may not see is not absent', () => {
  shown({ fault: refused(403) }, 'This dataset cannot be shown');
  expect(screen.getByRole('alert').textContent).toContain('This dataset cannot be shown');
});
