/** A mediator has no name of its own: the names of what it joins describe it. */
import type { TermRecord } from '../../api/types';
import { termWords } from '../words/words';

/** Maximum of names that describe a mediator. */
const MAX_NAMES = 3;

/** By the keys of mediators, the names of what each joins. */
export type Joined = ReadonlyMap<string, readonly string[]>;

/** The names of what mediators join, each once, in the order in which they come. */
export function joinedBy(pairs: Iterable<readonly [mediator: string, name: string]>): Joined {
  const joined = new Map<string, string[]>();
  for (const [mediator, name] of pairs) {
    const known = joined.get(mediator);
    if (!known) joined.set(mediator, [name]);
    else if (known.length < MAX_NAMES && !known.includes(name)) known.push(name);
  }
  return joined;
}

/** A term in a table: a mediator by what it joins. */
export function joiningWords(joined: Joined, key: string, term: TermRecord, unit?: string | null): string {
  const names = term.kind === 'mediator' ? joined.get(key) : undefined;
  return names ? `joins ${names.join(', ')}` : termWords(term, unit);
}
