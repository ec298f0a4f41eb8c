import { describe, expect, it } from 'vitest';

import {
  caseAddress,
  isBare,
  queryOf,
  queueAddress,
  readFilter,
  readOpenedCase,
  readRow,
  toDo,
  writeFilter,
  writeOpenedCase,
  type CaseFilter,
} from './address';

const ID = '0b5cf6ba-9d1a-4a8c-8f4c-2c1ba1b7e6a1';
const OTHER = '1b5cf6ba-9d1a-4a8c-8f4c-2c1ba1b7e6a1';
const OPEN: CaseFilter = { chosen: {}, search: '', against: null, beside: [], sort: 'surest' };
const FULL: CaseFilter = {
  chosen: {
    status: ['open', 'unsure'],
    class: ['E1'],
    cause: ['wrong relation'],
    relation: ['film.actor.film & more'],
    named: ['not an error'],
  },
  search: 'who & what',
  against: ID,
  beside: [OTHER],
  sort: 'worst',
};

describe('the filter of cases', () => {
  it('comes back from the address as it was written, several values of a facet too', () => {
    expect(readFilter(writeFilter(FULL))).toEqual(FULL);
    expect(readFilter(`?${writeFilter(FULL)}`)).toEqual(FULL);
    expect(readFilter('')).toEqual(OPEN);
    expect(writeFilter(OPEN)).toBe('');
  });

  it('leaves open what makes no sense', () => {
    const long = 'x'.repeat(401);
    expect(readFilter(`?status=&cause=${long}&sort=best&against=me&beside=you&colour=red`)).toEqual(OPEN);
    expect(readFilter('?status=open&status=open').chosen).toEqual({ status: ['open'] });
    const many = Array.from({ length: 60 }, (_, index) => `domain=d${index}`).join('&');
    expect(readFilter(many).chosen.domain).toHaveLength(10);
  });

  it('calls the class as the server does', () => {
    const query = queryOf(FULL);
    expect(query.error_class).toEqual(['E1']);
    expect(query).not.toHaveProperty('class');
    expect(query).toMatchObject({
      status: ['open', 'unsure'],
      search: 'who & what',
      against: ID,
      beside: [OTHER],
      sort: 'worst',
    });
    expect(queryOf(OPEN)).toEqual({ sort: 'surest' });
  });
});

describe('the address of a list', () => {
  it('distinguishes all cases from none chosen yet', () => {
    expect(isBare('')).toBe(true);
    const all = queueAddress('asked', OPEN);
    const search = all.slice(all.indexOf('?'));
    expect(isBare(search)).toBe(false);
    expect(readFilter(search)).toEqual(OPEN);
  });

  it('keeps the case to come back to, apart from the filter', () => {
    const address = queueAddress(ID, FULL, '17');
    const search = address.slice(address.indexOf('?'));
    expect(readRow(search)).toBe('17');
    expect(readFilter(search)).toEqual(FULL);
    expect(readRow('?row=../../x')).toBeNull();
    expect(readRow('')).toBeNull();
  });

  it('begins with what is to be done', () => {
    expect(writeFilter(toDo(ID))).toBe('status=open&result=wrong&result=partly+right');
    expect(writeFilter(toDo('asked'))).toBe('status=open');
  });
});

describe('the case of an address', () => {
  it('comes back with its list', () => {
    const opened = { of: ID, key: '17', filter: FULL };
    expect(readOpenedCase(`?${writeOpenedCase(opened)}`)).toEqual(opened);
    expect(readOpenedCase('?review=asked&case=12')).toEqual({ of: 'asked', key: '12', filter: OPEN });
    expect(caseAddress({ of: 'asked', key: ID, filter: OPEN })).toBe(`/review/asked/cases/${ID}`);
  });

  it('is none where the address names none', () => {
    for (const search of ['', '?review=asked', '?case=3', '?review=all&case=3', '?review=asked&case=three'])
      expect(readOpenedCase(search)).toBeNull();
  });
});
