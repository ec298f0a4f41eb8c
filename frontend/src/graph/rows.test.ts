import { expect, test } from 'vitest';

import { matching, pressed, sorted } from './rows';
import type { FactRow } from './scene';

function row(id: number, source: string, relation: string, target: string, note = ''): FactRow {
  const end = (label: string, group: number) => ({
    key: `${group}:${label}`,
    group,
    id: `en.${label}`,
    name: label,
    label,
    hollow: false,
  });
  return {
    id,
    source: end(source, 0),
    relation: { id: `tv.${relation}`, label: relation, context: '', reverse: false },
    target: end(target, 1),
    removed: false,
    highlighted: false,
    note,
  };
}

const ROWS = [
  row(1, 'Knight Rider', 'actor', 'David'),
  row(2, 'Airwolf', 'actor', 'Jan'),
  row(3, 'Airwolf', 'season', '10'),
  row(4, 'Airwolf', 'season', '9'),
];
const ids = (rows: readonly FactRow[]) => rows.map(({ id }) => id);

test('a row matches by a name or an id of either end or of the relation, whatever the case', () => {
  expect(ids(matching(ROWS, ' KNIGHT '))).toEqual([1]);
  expect(ids(matching(ROWS, 'tv.season'))).toEqual([3, 4]);
  expect(ids(matching(ROWS, 'en.jan'))).toEqual([2]);
  expect(matching(ROWS, '  ')).toBe(ROWS);
  expect(matching(ROWS, 'unknown')).toEqual([]);
});

test('a row matches by a name as it is printed, and as the graph holds it', () => {
  const [plain] = ROWS;
  if (!plain) throw new Error('there is no row');
  const rows = [{ ...plain, target: { ...plain.target, name: 'Da\u202Evid', label: 'Da⟨U+202E⟩vid' } }];
  expect(matching(rows, 'da\u202Evid')).toHaveLength(1);
  expect(matching(rows, 'u+202e')).toHaveLength(1);
});

test('rows are sorted by a column, numbers as numbers, and stay as they were where it says the same', () => {
  expect(ids(sorted(ROWS, { column: 'source', descending: false }))).toEqual([2, 3, 4, 1]);
  expect(ids(sorted(ROWS, { column: 'source', descending: true }))).toEqual([1, 2, 3, 4]);
  expect(ids(sorted(ROWS, { column: 'target', descending: false }))).toEqual([4, 3, 1, 2]);
  expect(sorted(ROWS, null)).toBe(ROWS);
});

test('a column is pressed into ascending, descending and no order; another column starts with ascending', () => {
  const first = pressed(null, 'target');
  expect(first).toEqual({ column: 'target', descending: false });
  expect(pressed(first, 'target')).toEqual({ column: 'target', descending: true });
  expect(pressed(pressed(first, 'target'), 'target')).toBeNull();
  expect(pressed(first, 'note')).toEqual({ column: 'note', descending: false });
});
