import { describe, expect, it } from 'vitest';

import type { CaseFilter } from '../address';
import { behind, facetsOf, toggled, valueWords } from './facets';

const OPEN: CaseFilter = { chosen: {}, search: '', against: null, beside: [], sort: 'surest' };
const facet = (name: string, ...values: string[]) => ({
  name,
  values: values.map((value, index) => ({ value, count: 9 - index })),
  total: values.length,
});
const FACETS = [facet('domain', 'film', 'tv'), facet('status', 'open', 'done'), facet('unheard of', 'x')];

describe('the facets of cases', () => {
  it('few are open at first, in their order, and unknown ones are left out', () => {
    const { open, folded } = facetsOf(FACETS, OPEN);
    expect(open.map(({ name }) => name)).toEqual(['status']);
    expect(folded.map(({ name }) => name)).toEqual(['domain']);
  });

  it('what is chosen is open and comes first', () => {
    const { open, folded } = facetsOf(FACETS, { ...OPEN, chosen: { domain: ['tv'] } });
    expect(open.map(({ name }) => name)).toEqual(['status', 'domain']);
    expect(open[1]?.choices).toEqual([
      { value: 'tv', count: 8, chosen: true },
      { value: 'film', count: 9, chosen: false },
    ]);
    expect(folded).toEqual([]);
    const compared = facetsOf([facet('other', 'both wrong')], { ...OPEN, against: 'another' });
    expect(compared.open.map(({ name }) => name)).toEqual(['other']);
  });

  it('takes several choices of a facet, and takes them back', () => {
    const one = toggled(OPEN, 'cause', 'linking');
    const two = toggled(one, 'cause', 'wrong place');
    expect(two.chosen).toEqual({ cause: ['linking', 'wrong place'] });
    expect(toggled(two, 'cause', 'linking').chosen).toEqual({ cause: ['wrong place'] });
    expect(toggled(one, 'cause', 'linking').chosen).toEqual({});
    expect(toggled({ ...two, search: 'film' }, 'class', 'E1')).toMatchObject({ search: 'film' });
  });

  it('shows choices in words', () => {
    const names = new Map([['rosa', 'Rosa']]);
    expect(valueWords('cause', 'wrong place', names)).toBe('wrong answer node');
    expect(valueWords('named', 'gap in the graph', names)).toBe('graph gap');
    expect(valueWords('cause', 'linking', names)).toBe('linking');
    expect(valueWords('status', 'done', names)).toBe('done');
    expect(valueWords('class', 'E1', names)).toBe('E1 search failed');
    expect(valueWords('class', 'E9', names)).toBe('E9');
    expect(valueWords('stage', 'infer', names)).toBe('Answer');
    expect(valueWords('says', 'no_error', names)).toBe('Not an error');
    expect(valueWords('assignee', 'rosa', names)).toBe('Rosa');
    expect(valueWords('assignee', 'gone', names)).toBe('gone');
    expect(valueWords('domain', 'film', names)).toBe('film');
  });

  it('opens the cases behind a cell', () => {
    expect(behind('linking', 'not an error').chosen).toEqual({ cause: ['linking'], named: ['not an error'] });
  });
});
