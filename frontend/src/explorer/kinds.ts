/** What kinds of things are called beside one another: "artist (music)" and "artist (broadcast)". */
import type { KindOfThing } from '../core/exploration';
import { nameShown } from '../core/shown';

/** A type of Freebase: its domain, and its own name. */
const TYPE = /^([a-z_]+)[.]([a-z_]+)$/;

/** By id, a name for each of several kinds that no other of them bears, where their ids tell them apart. */
export function kindLabels(kinds: Iterable<KindOfThing>): ReadonlyMap<string, string> {
  const all = [...kinds];
  const alone = bearers(all.map(({ label }) => label));
  const longer = all.map(({ id, label }) => (alone(label) ? label : words(TYPE.exec(id)?.[2]) || label));
  const aloneNow = bearers(longer);
  return new Map(
    all.map(({ id }, index) => {
      const name = longer[index] ?? '';
      const domain = words(TYPE.exec(id)?.[1]);
      return [id, nameShown(aloneNow(name) || !domain ? name : `${name} (${domain})`)];
    }),
  );
}

/** Tells whether a name is borne once. */
function bearers(names: readonly string[]): (name: string) => boolean {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (name) => counts.get(name) === 1;
}

function words(part = ''): string {
  return part.replaceAll('_', ' ');
}
