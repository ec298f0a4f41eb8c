import { render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import type { PlansProposed, RelationRecord } from '../../api/types';
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

test('of whole relation paths it says how many were weighed, and how far it was looked for them', () => {
  const plans = [{ relations: [CAST, ACTOR], weight: 1, grounded: true }];
  const { container } = shows({ plans, total: 2000, looked: { followed: 120, leading_on: 932 } });
  const heading = container.querySelector('h2')?.textContent;
  expect(heading).toContain('Weighed 2,000 relation paths, proposed 1');
  expect(heading).toContain('extended 120 of 932 paths');
});

test('where all paths were found, it says nothing of that', () => {
  const plans = [{ relations: [CAST], weight: 1, grounded: true }];
  const { container } = shows({ plans, total: 14, covered: 0.7, looked: { followed: 5, leading_on: 5 } });
  const heading = container.querySelector('h2')?.textContent;
  expect(heading).toContain('Weighed 14 relation paths, proposed 1');
  expect(heading).not.toContain('further');
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
