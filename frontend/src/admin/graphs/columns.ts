/** What the columns of a table mean, as it is changed in a form. */
import type { ColumnMapping, TableMapping } from '../../api/types';

/** Stands between the values of a cell that holds a list. */
export const LIST = '\u001f';

/** How a value says that a column holds ids of a kind, among the uses of columns. */
const OF_KIND = 'of:';

/** What a column is in a list of choices: its use, or the kind whose ids it holds. */
export function choiceOf({ use, refers_to: kind }: ColumnMapping): string {
  return kind ? `${OF_KIND}${kind}` : use;
}

/** What a column may be besides its uses: the kinds whose rows have ids. */
export function kindsWithIds(mapping: readonly TableMapping[]): readonly { choice: string; kind: string }[] {
  return mapping.filter(({ key, name }) => key !== name).map(({ kind }) => ({ choice: `${OF_KIND}${kind}`, kind }));
}

/** A column after another choice. */
export function chosen(column: ColumnMapping, choice: string): ColumnMapping {
  if (choice.startsWith(OF_KIND)) return { ...column, use: 'other things', refers_to: choice.slice(OF_KIND.length) };
  return { ...column, use: choice as ColumnMapping['use'], refers_to: '' };
}

/** A mapping with another key or name: what was one becomes a column, and what is one now is none. */
export function named(
  mapping: TableMapping,
  headers: readonly string[],
  changed: Partial<Pick<TableMapping, 'key' | 'name'>>,
): TableMapping {
  const { key, name } = { ...mapping, ...changed };
  const columns = headers
    .filter((header) => header !== key && header !== name)
    .map((header) => mapping.columns.find((column) => column.header === header) ?? columnOf(header));
  return { ...mapping, key, name, columns };
}

/** A mapping with one of its columns changed. */
export function withColumn(mapping: TableMapping, column: ColumnMapping): TableMapping {
  return { ...mapping, columns: mapping.columns.map((each) => (each.header === column.header ? column : each)) };
}

/** A mapping whose rows are another kind; what refers to them still does. */
export function withKind(mapping: readonly TableMapping[], place: number, kind: string): TableMapping[] {
  const before = mapping[place]?.kind;
  return mapping.map((table, index) => ({
    ...table,
    kind: index === place ? kind : table.kind,
    columns: table.columns.map((column) => (column.refers_to === before ? { ...column, refers_to: kind } : column)),
  }));
}

function columnOf(header: string): ColumnMapping {
  const relation = header
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_.]+/gu, '_')
    .replace(/^_+|_+$/g, '');
  return { header, use: 'other things', relation, separator: '', refers_to: '' };
}
