import { describe, expect, it } from 'vitest';

import { chipsOf, readFilter, writeFilter } from './query';

describe('the filter of questions', () => {
  it('comes back from the address as it was written', () => {
    const filter = {
      case: 'E1',
      right: false,
      leaves: 2,
      hops: 1,
      graph_gap: false,
      f1_from: 0.25,
      f1_below: 0.5,
    } as const;
    const more = { label: 'type=actor to film', search: 'who & what', order: 'slowest', changed: 'only_this' } as const;
    expect(readFilter(writeFilter({ ...filter, ...more }))).toEqual({ ...filter, ...more });
    expect(writeFilter({})).toBe('');
    expect(writeFilter({ order: 'position' })).toBe('');
  });

  it('keeps a slice in the address and shows it in a chip', () => {
    const slice = { relation: 'a.b.c', word: 'film', linking: false, confused: 'a.b.c>nothing more' } as const;
    expect(readFilter(writeFilter({ ...slice, domain: 'a' }))).toEqual({ ...slice, domain: 'a' });
    expect(chipsOf(slice).map(({ words }) => words)).toEqual([
      'relation: a.b.c',
      'word: film',
      'wrong topic found',
      'nothing more instead of a.b.c',
    ]);
  });

  it('leaves open what makes no sense', () => {
    expect(readFilter('?case=E9&right=maybe&leaves=two&order=&changed=x')).toEqual({});
  });

  it('shows what a bar chose, and which keys go with it', () => {
    const chips = chipsOf({ leaves: 2, hops: 1, f1_from: 0.25, f1_below: 0.5, graph_gap: false });
    expect(chips.map(({ words }) => words)).toEqual(['2 leaves', '1 hop', 'F1 from 0.25 to 0.5', 'gold in the graph']);
    expect(chips[2]?.keys).toEqual(['f1_from', 'f1_below']);
    expect(chipsOf({ f1_from: 1 })[0]?.words).toBe('F1 of 1');
    expect(chipsOf({ f1_from: 0, f1_below: 1e-9 })[0]?.words).toBe('F1 of 0');
  });
});
