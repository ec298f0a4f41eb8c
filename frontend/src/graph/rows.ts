/** Which rows a table of facts shows, and in which order. */
import type { FactEnd, FactRow } from './scene';

/** The rows that hold the words in a name or an id, whatever the case. */
export function matching(rows: readonly FactRow[], words: string): readonly FactRow[] {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return rows;
  return rows.filter(({ source, relation, target }) =>
    [...textsOf(source), relation.label, relation.id, ...textsOf(target)].some((text) =>
      text.toLowerCase().includes(wanted),
    ),
  );
}

function textsOf({ label, name, id }: FactEnd): readonly string[] {
  return [label, name, id];
}

/** A column that rows are sorted by. */
export type Column = 'source' | 'relation' | 'target' | 'note';

export interface Order {
  readonly column: Column;
  readonly descending: boolean;
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** The rows in an order; without one as they are, and where a column says the same as they were. */
export function sorted(rows: readonly FactRow[], order: Order | null): readonly FactRow[] {
  if (!order) return rows;
  const text = ({ source, relation, target, note }: FactRow): string =>
    ({ source: source.label, relation: relation.label, target: target.label, note })[order.column];
  const sign = order.descending ? -1 : 1;
  return rows.toSorted((one, other) => sign * collator.compare(text(one), text(other)));
}

/** The order after a press on a column's head: ascending, descending, then none. */
export function pressed(order: Order | null, column: Column): Order | null {
  if (order?.column !== column) return { column, descending: false };
  return order.descending ? null : { column, descending: true };
}
