import { render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import type { ModelWrote, SelectionMade } from '../api/types';
import { EMPTY } from '../core/run';
import BesideDecision from './BesideDecision.svelte';

const COST = { calls: 1, tokens_in: 1, tokens_out: 1 };

test('options that were kept stand with their weights, and those that were not say so', () => {
  const term = (label: string) => ({ id: label, label, kind: 'entity' as const });
  const option = (index: number, label: string) =>
    ({ kind: 'topic', index, probability: null, term: term(label), hint: '', start: 0, end: 1 }) as const;
  const selection: SelectionMade = {
    kind: 'selection',
    stage: 'link',
    number: 0,
    selection: {
      measure: 'attention',
      options: [option(4, 'KITT'), option(1, 'KARR')],
      weights: [0.91234, 0.05],
      kept: [4],
      total: 1200,
      cost: null,
    },
    seconds: 0,
  };
  render(BesideDecision, { aside: selection, state: EMPTY });
  const told = screen.getByTestId('kept-options').textContent.replace(/\s+/g, ' ');
  expect(told).toContain('Kept 1 of 1,200 options, by attention');
  expect(told).toMatch(/0.912 KITT\s?0.05 KARR, not kept/);
  expect(told).toContain('2 of 1,200 options are listed.');
});

test('a text of a model is marked as such, with its length and what was asked', () => {
  const wrote: ModelWrote = {
    kind: 'model_wrote',
    stage: 'infer',
    purpose: 'a plan for the search',
    writer: 'qwen\u202e',
    messages: [{ role: 'user', text: 'who plays KITT?', length: 15 }],
    text: 'first the cast\nthen the actor',
    length: 420,
    cost: COST,
    seconds: 0,
  };
  render(BesideDecision, { aside: wrote, state: EMPTY });
  const told = screen.getByTestId('written').textContent;
  expect(told).toContain('Written by qwen⟨U+202E⟩, not from the graph');
  expect(told).toContain('a plan for the search');
  expect(told).toContain('first the cast\nthen the actor');
  expect(told).toContain('the first 29 of 420 characters');
  expect(told).toContain('who plays KITT?');
});
