/** What one said of cases since the site was opened, the last one last: it is taken back in this order. */

export interface Saying {
  readonly of: string;
  readonly key: string;
  /** What takes it back. */
  readonly together: string;
}

const LONGEST = 100;
const sayings: Saying[] = [];

/** Remember what was said. */
export function remember(saying: Saying): void {
  sayings.push(saying);
  if (sayings.length > LONGEST) sayings.shift();
}

/** The last thing that was said of the cases of a source; undefined where nothing was. */
export function lastSaid(of: string): Saying | undefined {
  return sayings.findLast((each) => each.of === of);
}

/** Forget what was taken back, or cannot be any more. */
export function forget(saying: Saying): void {
  const at = sayings.indexOf(saying);
  if (at >= 0) sayings.splice(at, 1);
}
