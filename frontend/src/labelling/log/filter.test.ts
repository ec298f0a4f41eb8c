import { expect, test } from 'vitest';

import { filterOf, queryOf, wantedOf, type LogFilter } from './filter';

const NOTHING: LogFilter = { person: null, search: '', what: null, from: '', to: '' };

test('a filter is kept in the address and read again', () => {
  const filter: LogFilter = { person: 7, search: '12 & more', what: 'steps', from: '2026-11-01', to: '2026-11-30' };
  expect(filterOf(queryOf(filter))).toEqual(filter);
  expect(queryOf(NOTHING)).toBe('');
});

test('an address that says something else is passed over', () => {
  expect(filterOf('?person=x&what=all&from=yesterday&to=2026-13-40')).toEqual(NOTHING);
  expect(filterOf('?person=-1')).toEqual(NOTHING);
});

test('days are asked for whole, as they are where the reader is', () => {
  const { since, until } = wantedOf({ ...NOTHING, from: '2026-11-23', to: '2026-11-23' });
  expect(new Date(since ?? '').getHours()).toBe(0);
  expect(new Date(until ?? '').getTime() - new Date(since ?? '').getTime()).toBe(86_400_000);
  expect(wantedOf(NOTHING)).toEqual({});
});
