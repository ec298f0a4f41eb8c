import { describe, expect, test } from 'vitest';

import type { ConstraintRecord, TermRecord } from '../../api/types';
import { EMPTY, type RunState } from '../events/run';
import { agoWords, probabilityWords, secondsWords } from './format';
import { comparisonWords, conditionSigns, graphWords, holdsWords, termWords } from './words';

function term(kind: TermRecord['kind'], label: string): TermRecord {
  return { id: label, kind, label };
}

test.each([
  [term('number', '37253956'), '37,253,956'],
  [term('number', '3.5'), '3.5'],
  [term('number', 'many'), 'many'],
  [term('date', '2011'), '2011'],
  [term('date', '2011-02'), 'February 2011'],
  [term('date', '2011-02-06'), '6 February 2011'],
  [term('date', '-0044-03-15'), '15 March 44 BC'],
  [term('date', 'spring'), 'spring'],
  [term('entity', '1984'), '1984'],
])('%o is written as people do', (given, expected) => {
  expect(termWords(given)).toBe(expected);
});

describe('a condition', () => {
  const cases: readonly (readonly [ConstraintRecord['operator'], TermRecord | null, string, string])[] = [
    ['=', term('entity', 'KITT'), 'is KITT', '= KITT'],
    ['=', term('date', '2011'), 'is in 2011', '= 2011'],
    ['=', term('date', '2011-02-06'), 'is 6 February 2011', '= 6 February 2011'],
    ['<', term('date', '1990'), 'is before 1990', '< 1990'],
    ['>=', term('number', '5000000'), 'is at least 5,000,000', '≥ 5,000,000'],
    ['max', null, 'is the largest', 'max'],
    ['holds', term('date', '2010'), 'held in 2010', 'held 2010'],
    ['holds', term('date', '2010-02'), 'held in February 2010', 'held February 2010'],
    ['holds', term('date', '2026-11-25'), 'held on 25 November 2026', 'held 25 November 2026'],
    ['kind', term('entity', 'country'), 'is a country', '∈ country'],
    ['kind', term('entity', 'actor'), 'is an actor', '∈ actor'],
    ['kind', term('entity', 'university'), 'is a university', '∈ university'],
    ['kind', null, 'is of a kind', '∈'],
    ['max', term('number', '2'), 'is the second largest', 'max 2'],
  ];
  test.each(cases)('%s %o', (operator, target, words, signs) => {
    const constraint = { position: 1, operator, target };
    expect(comparisonWords(EMPTY, constraint)).toBe(words);
    expect(conditionSigns(constraint)).toBe(signs);
  });

  test('is still true on the day that now means in its run', () => {
    const started = { kind: 'started', today: '2026-11-25' } as NonNullable<RunState['started']>;
    const now: ConstraintRecord = { position: 1, operator: 'holds', target: term('date', '2026-11-25') };
    expect(comparisonWords({ ...EMPTY, started }, now)).toBe('is still true on 25 November 2026');
    const then: ConstraintRecord = { ...now, target: term('date', '2026-11-24') };
    expect(comparisonWords({ ...EMPTY, started }, then)).toBe('held on 24 November 2026');
  });
});

test.each([
  [0.944, '.94'],
  [1, '1.0'],
  [0.999, '>.99'],
  [0.995, '>.99'],
  [0.994, '.99'],
  [0.004, '<.01'],
  [0, '.00'],
])('a probability of %d reads %s', (probability, expected) => {
  expect(probabilityWords(probability)).toBe(expected);
});

test('seconds have as many digits as matter', () => {
  expect([0.004, 0.214, 12.3].map(secondsWords)).toEqual(['under 0.01 s', '0.21 s', '12 s']);
});

test('a time ago is rounded', () => {
  const now = new Date('2026-01-02T12:00:00Z');
  const ago = (seconds: number) => agoWords(new Date(now.getTime() - seconds * 1000), now);
  expect([5, 300, 7200, 200_000].map(ago)).toEqual(['just now', '5 min ago', '2 h ago', '2 days ago']);
});

test('a graph shows what it holds and where it came from', () => {
  const graph = {
    name: 'films',
    title: 'Films',
    version: 'a1b2',
    source: 'films.tsv',
    filters: ['domains: film'],
    loaded_at: '2026-11-21T09:30:00+00:00',
    entities: 1200,
    triples: 4310,
    predicates: 1,
    named: 0,
    commonest: [
      { label: 'directed by', context: 'film', triples: 900 },
      { label: 'birth place', context: '', triples: 80 },
    ],
    advice: ['0 of 1,200 entities have a name.'],
    kept: '',
    is_default: false,
    fault: null,
  };
  expect(graphWords(graph)).toEqual({
    title: 'Films',
    text: '4,310 facts about 1,200 entities, with 1 relation. Source: films.tsv. Of that source, only: domains: film. Loaded 21 November 2026, version a1b2. 0 of 1,200 entities have a name.',
  });
  expect(holdsWords(graph)).toBe(
    'Films holds 4,310 facts about 1,200 entities. Most frequent: directed by of a film (900), birth place (80).',
  );
  expect(holdsWords({ ...graph, commonest: [] })).toBe('Films holds 4,310 facts about 1,200 entities.');
});
