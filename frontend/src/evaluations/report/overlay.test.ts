import { expect, it } from 'vitest';

import { readOverlay, withOverlay } from './overlay';
import { readFilter } from '../questions/query';

const ID = '0b5f2f4e-3f0e-4b53-9a67-8f5c1e2a7d10';

it('keeps the corrections in the address beside the filter', () => {
  expect(withOverlay('', ID)).toBe(`?overlay=${ID}`);
  expect(withOverlay('?case=E2', ID)).toBe(`?case=E2&overlay=${ID}`);
  expect(withOverlay('?case=E2', null)).toBe('?case=E2');
  expect(readOverlay(withOverlay('?case=E2', ID))).toBe(ID);
  expect(readFilter(withOverlay('?case=E2', ID))).toEqual({ case: 'E2' });
});

it.each(['', '?overlay=', '?overlay=mine'])('knows of none in %s', (search) => {
  expect(readOverlay(search)).toBeNull();
});
