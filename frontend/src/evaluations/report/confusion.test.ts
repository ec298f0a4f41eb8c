import { describe, expect, it } from 'vitest';

import { confusionMap, MOST, shortNames } from './confusion';

const pair = (gold: string, chosen: string, questions: number) => ({ gold, chosen, questions });

describe('short names of relations', () => {
  it('are as few of the last parts as make them unique', () => {
    const names = shortNames(['film.film.directed_by', 'tv.tv_program.actor', 'film.performance.actor', '^a.b.actor']);
    expect([...names.values()]).toEqual(['directed_by', 'tv_program.actor', 'performance.actor', '^actor']);
    expect(shortNames(['nothing more', 'a.b.more']).get('nothing more')).toBe('nothing more');
  });

  it('lose their middle where they are long, and stay apart', () => {
    const long = 'base.schemastaging.organization_extra.corporate_officer_relationship';
    const name = shortNames([long]).get(long) ?? '';
    expect(name).toBe('corporate_of…relationship');
    expect(new Set(shortNames([long, `another.${long}`]).values()).size).toBe(2);
  });
});

describe('the map of confused relations', () => {
  it('holds the most frequent pairs, the most confused relations first', () => {
    const map = confusionMap([pair('a.x', 'a.y', 5), pair('a.z', 'a.y', 4), pair('a.z', 'nothing more', 3)]);
    expect([...map.gold.values()]).toEqual(['z', 'x']);
    expect([...map.chosen.values()]).toEqual(['y', 'nothing more']);
    expect(map.questions).toBe(12);
  });

  it('has no more rows and columns than can be read', () => {
    const many = Array.from({ length: 40 }, (_, index) => pair(`a.g${index}`, `a.c${index % 20}`, 40 - index));
    const map = confusionMap([...many, pair('a.g0', 'a.c1', 1)]);
    expect([map.gold.size, map.chosen.size]).toEqual([MOST, MOST]);
    expect(map.pairs).toHaveLength(MOST + 1);
    expect(map.questions).toBe(many.slice(0, MOST).reduce((sum, { questions }) => sum + questions, 1));
  });
});
