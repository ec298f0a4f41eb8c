import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';

import { recorded } from '../../core/events/recorded';
import { momentsOf } from '../../core/events/timeline';
import PoolOption from './PoolOption.svelte';

const moment = momentsOf(recorded('condition')).find(({ stage }) => stage === 'search');
const decision = moment?.decision;
if (!moment || !decision) throw new Error('the recorded run made no search decision');
const { before } = moment;
const option = decision.options.find(({ index }) => index === decision.chosen);
if (!option) throw new Error('the chosen option is not listed');

test('an option under the pointer or the focus is previewed until it is left', async () => {
  const onpreview = vi.fn();
  render(PoolOption, { option, before, stage: 'search', taken: 'chosen', share: '.80', onpreview });
  const item = screen.getByTestId('pool-option');
  expect(item.textContent).toContain(', chosen');
  await fireEvent.focus(item);
  expect(onpreview).toHaveBeenLastCalledWith(option);
  await fireEvent.blur(item);
  expect(onpreview).toHaveBeenLastCalledWith(null);
});

test('an option that was not read has no bar and no place in the order of the keyboard', () => {
  const { container } = render(PoolOption, { option, before, stage: 'search' });
  expect(container.querySelector('.track')).toBeNull();
  expect(container.querySelector('li')?.hasAttribute('tabindex')).toBe(false);
  expect(container.textContent).not.toContain('chosen');
});
