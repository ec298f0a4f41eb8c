import { fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';

import TrainingForm from './TrainingForm.svelte';

const RECIPES = [
  { name: 'few', title: 'A few questions', sent: false },
  { name: 'sample', title: 'The bundled sample', sent: false },
];

const BASES = [
  { name: 'new', fault: null, waits: null },
  { name: 'llama', fault: '“llama” needs peft, which this site lacks.', waits: null },
];

const STRATEGIES = [
  { name: 'etd', title: 'EtD', recipes: [{ name: 'films', title: 'Films', sent: false }], card: null, fault: '' },
];

/** The site's side of the form, over real HTTP: it refuses one name, and takes any other. */
let asked: unknown[] = [];
const site = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => (body += String(part)));
  request.on('end', () => {
    const wanted = JSON.parse(body) as { name: string };
    asked.push(wanted);
    const refused = wanted.name === 'refused';
    response.writeHead(refused ? 422 : 201, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(
        refused
          ? { code: 'scorer_name', message: 'A scorer “refused” is in the making already.' }
          : { name: wanted.name },
      ),
    );
  });
});

beforeAll(async () => {
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  location.href = `http://127.0.0.1:${(site.address() as AddressInfo).port}/models`;
});
afterAll(() => void site.close());
beforeEach(() => (asked = []));

const SMALL = { name: 'small', recipe: 'sample', lessons: [], start: '', epochs: null, seed: null };

function opened() {
  const onstart = vi.fn();
  const { component } = render(TrainingForm, {
    recipes: RECIPES,
    starts: ['bundled'],
    bases: BASES,
    strategies: STRATEGIES,
    taken: ['encoder'],
    onstart,
  });
  component.open();
  return onstart;
}

async function start(name: string) {
  await fireEvent.input(screen.getByLabelText('Name'), { target: { value: name } });
  const form = screen.getByLabelText('Name').closest('form');
  if (form) await fireEvent.submit(form);
}

test.each([
  ['', /Give the model a name/],
  ['Two Words', /Use lower-case letters/],
  ['encoder', /A model “encoder” exists already/],
])('the name %j is refused before the site is asked', async (name, fault) => {
  opened();
  await start(name);
  expect(screen.getByRole('alert').textContent).toMatch(fault);
  expect(document.activeElement).toBe(screen.getByLabelText('Name'));
  expect(asked).toEqual([]);
});

test('a training starts with the sample unless another recipe is chosen, and an empty number stays open', async () => {
  const onstart = opened();
  await start('small');
  await waitFor(() => expect(onstart).toHaveBeenCalledOnce());
  expect(asked).toEqual([{ ...SMALL, kind: 'encoder', base: '' }]);
});

test('a language model is trained from its base, and what does not apply is not asked', async () => {
  const onstart = opened();
  expect(screen.getByLabelText('Start from')).toBeTruthy();
  await fireEvent.change(screen.getByTestId('kind'), { target: { value: 'llama' } });
  expect(screen.getByText('“llama” needs peft, which this site lacks.')).toBeTruthy();
  expect(screen.queryByLabelText('Start from')).toBeNull();
  await fireEvent.change(screen.getByTestId('kind'), { target: { value: 'new' } });
  expect(screen.queryByText(/needs peft/)).toBeNull();
  await start('small');
  await waitFor(() => expect(onstart).toHaveBeenCalledOnce());
  expect(asked).toEqual([{ ...SMALL, kind: 'causal', base: 'new' }]);
});

test('the weights of a strategy bear its name and are trained by its own recipes', async () => {
  const onstart = opened();
  await fireEvent.change(screen.getByTestId('kind'), { target: { value: 'strategy:etd' } });
  expect(screen.queryByLabelText('Name')).toBeNull();
  expect(screen.queryByLabelText('Start from')).toBeNull();
  expect(screen.getByLabelText<HTMLSelectElement>('Learns from').value).toBe('films');
  const form = screen.getByTestId('kind').closest('form');
  if (form) await fireEvent.submit(form);
  await waitFor(() => expect(onstart).toHaveBeenCalledOnce());
  expect(asked).toEqual([{ ...SMALL, name: 'etd', recipe: 'films', kind: 'strategy', base: '' }]);
});

test('what the site refuses stands in the form, which stays open', async () => {
  const onstart = opened();
  await start('refused');
  await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('in the making already'));
  expect(onstart).not.toHaveBeenCalled();
  expect(screen.getByTestId<HTMLDialogElement>('training-form').open).toBe(true);
});
