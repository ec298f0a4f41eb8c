import { expect, test } from 'vitest';

import type { EntityDetailOut, RelationGroupOut } from '../../api/types';
import { mainRelations, valueWords } from './values';

const entity = (label: string) => ({ id: label, label, kind: 'entity' as const });

function group(label: string, facts: number, values: RelationGroupOut['values'], reverse = false): RelationGroupOut {
  return { relation: { id: label, label, context: 'person', reverse }, facts, leads_to: 'entity', values };
}

test('values are listed, and how many more there are', () => {
  expect(valueWords(group('children', 2, [[entity('Malia')], [entity('Sasha')]]))).toBe('Malia, Sasha');
  expect(valueWords(group('films', 12, [[entity('Heat')]]))).toBe('Heat and 11 more');
  expect(valueWords(group('films', 12, []))).toBe('');
});

test('what a mediator joins is one value', () => {
  const since = { id: '"1992-10-03"^^xsd:date', label: '1992-10-03', kind: 'date' as const };
  expect(valueWords(group('marriages', 1, [[entity('Michelle Obama'), since]]))).toBe(
    'Michelle Obama · 3 October 1992',
  );
});

test('an entity’s own relations come before those that lead to it, and those with few values first', () => {
  const groups = [
    group('films', 12, [[entity('Heat')]]),
    group('directed by', 1, [[entity('Mann')]], true),
    group('awards', 3, []),
    group('born in', 1, [[entity('London')]]),
  ];
  const detail = { groups } as unknown as EntityDetailOut;
  expect(mainRelations(detail, 8).map(({ relation }) => relation.label)).toEqual(['born in', 'films', 'directed by']);
  expect(mainRelations(detail, 1).map(({ relation }) => relation.label)).toEqual(['born in']);
});
