import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import type { RunEventOut, StageEvent } from '../../api/types';
import { recorded } from '../../core/events/recorded';
import { THEATRE, TheatreModel } from '../state/model.svelte';
import Pool from './Pool.svelte';

/** The pool of a step of the recorded run in which options were kept and a model wrote, with some events changed. */
function shows(step: number, change: (event: StageEvent) => StageEvent = (event) => event): TheatreModel {
  const model = new TheatreModel(() => true);
  model.begin(
    recorded('written').map(({ seq, event }): RunEventOut => ({ seq, event: change(event) })),
    false,
  );
  model.playback.show(step);
  render(Pool, { context: new Map([[THEATRE, model]]) });
  return model;
}

function words(testid: string): string {
  return screen.getByTestId(testid).textContent.replace(/\s+/g, ' ').trim();
}

test('options that were kept stand with their weights as bars', async () => {
  const model = shows(1);
  expect(words('pool')).toContain('Step 2 · 4 options');
  expect(words('pool')).toContain('Kept 2 of 4 options, by probability.');
  const options = screen.getAllByTestId('pool-option');
  expect(options.map(({ textContent }) => /, kept/.test(textContent))).toEqual([true, true, false, false]);
  expect(options.map(({ textContent }) => /\.\d\d/.exec(textContent)?.[0])).toEqual(['.80', '.07', '.07', '.07']);
  const [first, second] = options.map((option) => option.querySelector<HTMLElement>('.track i')?.style.width);
  expect(first).toBe('80%');
  expect(Number.parseFloat(second ?? '')).toBeCloseTo(20 / 3);
  // What one of them would add can be previewed, as at any decision.
  await fireEvent.focus(options[1] as HTMLElement);
  expect(model.selection.preview?.kind).toBe('step');
});

test('numbers that are no probabilities are called what they are', () => {
  shows(1, (event) =>
    event.kind === 'selection'
      ? { ...event, selection: { ...event.selection, measure: 'attention', total: 1200 } }
      : event,
  );
  expect(words('pool')).toContain('Kept 2 of 1,200 options, by attention.');
  expect(words('pool')).toContain('1,196 further options not listed.');
  expect(screen.getAllByTestId('pool-option')[0]?.textContent).toMatch(/0\.8\s*$/);
  expect(words('pool')).toContain('is not a probability');
});

test('a text of a model is marked as such, with what it took and what it was sent', () => {
  shows(2, (event) =>
    event.kind === 'model_wrote'
      ? { ...event, writer: 'qwen\u202e', text: 'first the cast\nthen the actor', length: 420 }
      : event,
  );
  expect(words('pool')).toContain('what the answer may be called');
  expect(words('written')).toContain('Written by qwen⟨U+202E⟩, not from the graph');
  expect(screen.getByTestId('written').textContent).toContain('first the cast\nthen the actor');
  expect(words('written')).toContain('the first 29 of 420 characters');
  expect(words('written-cost')).toBe('1 model call · 12 tokens in · 3 tokens out · under 0.01 s');
  expect(words('sent')).toContain('who plays the voice of KITT in Knight Rider?');
});
