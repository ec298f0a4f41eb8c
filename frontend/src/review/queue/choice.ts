/** Which rows of a list are chosen. */

/** Those that are chosen once a row was clicked; `from` is where a range begins, null for the row alone. */
export function clicked(
  chosen: ReadonlySet<string>,
  keys: readonly string[],
  key: string,
  from: string | null,
): ReadonlySet<string> {
  const on = !chosen.has(key);
  const [start, end] = [keys.indexOf(from ?? key), keys.indexOf(key)].sort((a, b) => a - b);
  const range = start === undefined || end === undefined || start < 0 ? [key] : keys.slice(start, end + 1);
  const rest = [...chosen].filter((each) => !range.includes(each));
  return new Set(on ? [...rest, ...range] : rest);
}

/** What is left of a choice once the list is another; the same one where all is left. */
export function remaining(chosen: ReadonlySet<string>, listed: readonly string[]): ReadonlySet<string> {
  const there = new Set(listed);
  const left = [...chosen].filter((key) => there.has(key));
  return left.length === chosen.size ? chosen : new Set(left);
}
