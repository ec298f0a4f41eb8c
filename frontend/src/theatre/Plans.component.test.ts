import { render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import type { PlansProposed, RelationRecord } from '../api/types';
import Plans from './Plans.svelte';

const CAST: RelationRecord = { id: 'tv.cast', label: 'regular cast', context: 'tv program', reverse: false };
const ACTOR: RelationRecord = { id: '^tv.actor', label: 'actor', context: 'tv appearance', reverse: true };
const NONE: PlansProposed = {
  kind: 'plans_proposed',
  by: 'scorer',
  begins: [],
  plans: [],
  total: 0,
  covered: null,
  cost: null,
  seconds: 0,
};

function shows(proposed: Partial<PlansProposed>) {
  return render(Plans, { step: 1, proposed: { ...NONE, ...proposed } });
}

test('where there are no plans, it says what that means', () => {
  const { container } = shows({});
  expect(screen.queryAllByTestId('plan')).toEqual([]);
  expect(container.querySelector('h2')?.textContent).toContain('no relation fits');
});

test('what the graph does not hold is struck through as it was written, and says why', () => {
  const plans = [
    { relations: [CAST, ACTOR], weight: 0.5, grounded: true },
    { relations: [CAST], weight: 0.5, grounded: false, written: 'regular cast -> shoe size' },
  ];
  const { container } = shows({ by: 'writer', plans, total: 2, covered: null });
  const [held, missing] = screen.getAllByTestId('plan');
  expect(held?.querySelector('s')).toBeNull();
  expect(held?.querySelector('[aria-label="backwards:"]')).not.toBeNull();
  expect(missing?.querySelector('s')?.textContent).toBe('regular cast -> shoe size');
  expect(missing?.textContent).toContain('not in the graph, so not followed');
  expect(container.querySelector('h2')?.textContent).toContain('A model wrote 2 plans, 1 of them in the graph');
});
