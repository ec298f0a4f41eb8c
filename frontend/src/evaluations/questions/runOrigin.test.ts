import { expect, it } from 'vitest';

import { listOf, readRunOrigin, readRow, writeRunOrigin } from './runOrigin';

const ID = '0b5f2f4e-3f0e-4b53-9a67-8f5c1e2a7d10';
const OTHER = '5c1e2a7d-3f0e-4b53-9a67-8f5c1e2a7d11';

it('keeps the list in the address of a run, beside what is looked at there', () => {
  const opened = {
    evaluation: ID,
    position: 14,
    against: OTHER,
    filter: { case: 'E2', order: 'worst', search: 'who & what' },
    overlay: OTHER,
  } as const;
  expect(readRunOrigin(`?step=3&node=2:en.kitt&${writeRunOrigin(opened)}`)).toEqual(opened);
  const plain = { evaluation: ID, position: 1, against: null, filter: {}, overlay: null };
  expect(writeRunOrigin(plain)).toBe(`of=${ID}&question=1`);
  expect(readRunOrigin(`?${writeRunOrigin(plain)}`)).toEqual(plain);
});

it('leads back to the row', () => {
  const opened = { evaluation: ID, position: 14, against: null, filter: { case: 'E2' }, overlay: null } as const;
  expect(listOf(opened)).toBe(`/evaluations/${ID}?at=14&case=E2`);
  expect(readRow(listOf(opened).slice(listOf(opened).indexOf('?')))).toBe(14);
  expect(listOf({ ...opened, overlay: OTHER })).toBe(`/evaluations/${ID}?at=14&case=E2&overlay=${OTHER}`);
  expect(listOf({ ...opened, against: OTHER, filter: {} })).toBe(`/evaluations/${ID}/against/${OTHER}?at=14`);
});

it.each(['', '?of=mine&question=1', `?of=${ID}`, `?of=${ID}&question=0`, `?of=${ID}&question=1e9`])(
  'knows of no list in %s',
  (search) => {
    expect(readRunOrigin(search)).toBeNull();
  },
);

it.each(['', '?at=0', '?at=-1', '?at=x'])('begins at the first row with %s', (search) => {
  expect(readRow(search)).toBeNull();
});
