import { expect, test } from 'vitest';

import type { ColumnMapping, TableMapping } from '../../api/types';
import { choiceOf, chosen, kindsWithIds, named, withColumn, withKind } from './columns';

const column = (header: string, more: Partial<ColumnMapping> = {}): ColumnMapping => ({
  header,
  use: 'other things',
  relation: header,
  separator: '',
  refers_to: '',
  ...more,
});
const people: TableMapping = {
  table: 'people',
  kind: 'person',
  key: 'id',
  name: 'name',
  columns: [column('boss', { refers_to: 'person' }), column('born', { use: 'dates' })],
};

test('a column is a number, a date, or a thing of a kind with ids', () => {
  expect(kindsWithIds([people, { ...people, kind: 'city', key: 'name' }])).toEqual([
    { choice: 'of:person', kind: 'person' },
  ]);
  expect(people.columns.map(choiceOf)).toEqual(['of:person', 'dates']);
  expect(chosen(column('boss'), 'of:person')).toEqual(column('boss', { refers_to: 'person' }));
  expect(chosen(column('boss', { refers_to: 'person' }), 'text')).toEqual(column('boss', { use: 'text' }));
});

test('what was the key becomes a column, and what is the key is none', () => {
  const headers = ['id', 'name', 'boss', 'born'];
  const changed = named(people, headers, { key: 'name' });
  expect(changed.columns.map(({ header }) => header)).toEqual(['id', 'boss', 'born']);
  expect(named(changed, headers, { key: 'id' })).toEqual(people);
  expect(named(people, ['Full Name!', 'name'], { key: 'name' }).columns[0]?.relation).toBe('full_name');
});

test('a kind is renamed where it is referred to, and a column is changed alone', () => {
  expect(withKind([people], 0, 'employee')[0]).toMatchObject({
    kind: 'employee',
    columns: [{ refers_to: 'employee' }, { refers_to: '' }],
  });
  expect(withColumn(people, column('born')).columns).toEqual([people.columns[0], column('born')]);
});
