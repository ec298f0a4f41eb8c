/** Where the nodes of S_k stand: left to right, and never elsewhere once they stand. */

/** A cell of the drawing: the column is the distance from the root. */
export interface Cell {
  readonly column: number;
  readonly row: number;
}

/**
 * The cell of every node, given each one's parent. A node takes the first free row of its column at or below its
 * parent's, so that adding nodes moves none of those that stand: the cells of a prefix are a prefix of the cells.
 */
export function cellsOf(parents: readonly (number | null)[]): readonly Cell[] {
  const cells: Cell[] = [];
  const taken = new Set<string>();
  for (const parent of parents) {
    const from = parent === null ? undefined : cells[parent];
    const column = from ? from.column + 1 : 0;
    let row = from?.row ?? 0;
    while (taken.has(`${column}/${row}`)) row += 1;
    taken.add(`${column}/${row}`);
    cells.push({ column, row });
  }
  return cells;
}
