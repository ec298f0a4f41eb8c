/** Verdicts of this session that can be undone, oldest first. */

export interface UndoEntry {
  readonly of: string;
  readonly key: string;
  /** The id that undoes it. */
  readonly together: string;
}

const LONGEST = 100;
const entries: UndoEntry[] = [];

/** Add a verdict. */
export function addUndo(entry: UndoEntry): void {
  entries.push(entry);
  if (entries.length > LONGEST) entries.shift();
}

/** The last verdict on a case of a source, if any. */
export function lastUndo(of: string): UndoEntry | undefined {
  return entries.findLast((each) => each.of === of);
}

/** Remove a verdict that was undone, or cannot be undone any more. */
export function removeUndo(entry: UndoEntry): void {
  const at = entries.indexOf(entry);
  if (at >= 0) entries.splice(at, 1);
}
