import { render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import type { RunEventOut, RunOut } from '../api/types';
import { recorded } from '../core/events/recorded';
import ComparedRun from './ComparedRun.svelte';

const RUN = {
  id: 'one',
  status: 'succeeded',
  graph_title: 'Toy',
  waits: null,
  answers: ['William Daniels'],
  verdict: 'answered',
} as unknown as RunOut;

const shown = (run: Partial<RunOut>, name: string | null, parts: number | null = null) =>
  renderRun(run, name === null ? [] : recorded(name), parts);

const renderRun = (run: Partial<RunOut>, events: readonly RunEventOut[], parts: number | null) =>
  render(ComparedRun, {
    props: { run: { ...RUN, ...run }, events, title: 'READS', scorer: 'Encoder', parts, letter: 'A' },
  });

test('a run shows its answers, the proof of the first, and its decisions, each with its step of the theatre', () => {
  shown({}, 'condition', 4);
  expect(screen.getByTestId('way-answer').textContent.trim()).toBe('William Daniels');
  expect(screen.getByTestId('way-evidence').textContent).toBe(
    'Knight Rider ─ regular cast → ◦ ─ actor → William Daniels, because character is KITT',
  );
  const steps = screen.getAllByTestId('way-step');
  expect(steps).toHaveLength(7);
  expect(steps[1]?.textContent).toContain('Follow regular cast');
  expect(steps[1]?.getAttribute('href')).toBe('/runs/one?step=2');
  const here = screen.getByTestId('way-parts');
  expect(here.closest('li')?.textContent).toContain('Follow character');
  expect(steps[3]?.getAttribute('aria-describedby')).toBe(here.id);
});

test('a way without an answer says why', () => {
  shown({ answers: [], verdict: 'not_in_graph' }, 'no_topic');
  expect(screen.getByTestId('way-answer').textContent).toContain('Not in this graph');
  expect(screen.queryByTestId('way-evidence')).toBeNull();
  expect(screen.queryByTestId('way-parts')).toBeNull();
});

test('a way that waits, works or was stopped says so, with what is known so far', () => {
  const { unmount } = shown({ status: 'queued', waits: 'No worker is here.' }, null);
  expect(screen.getByTestId('way-answer').textContent).toContain('No worker is here.');
  unmount();
  const begun = renderRun({ status: 'running' }, recorded('condition').slice(0, 4), null);
  expect(screen.getByTestId('way-answer').textContent).toContain('Running');
  expect(screen.getAllByTestId('way-step').length).toBeGreaterThan(0);
  begun.unmount();
  shown({ status: 'cancelled' }, 'condition');
  expect(screen.getByTestId('way-answer').textContent).toContain('Stopped');
});
