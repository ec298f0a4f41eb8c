/** What kinds of things are called beside one another, "artist (music)" and "artist (broadcast)", and how one is chosen. */
import type { KindOfThing } from '../drawing/exploration';
import { nameShown } from './shown';

/** A type of Freebase: its domain, and its own name. */
const TYPE = /^([a-z_]+)[.]([a-z_]+)$/;

/** A unique name for each of several types, by id, if their ids distinguish them. */
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

/** A kind of a graph, under a name that is its own. */
export interface ListedKind {
  readonly id: string;
  readonly name: string;
}

/** The form of a type's id, of Freebase or of another graph. */
const WRITTEN = /^[a-z][a-z0-9_]*([.][a-z0-9_]+)+$/;

/** The kinds of a graph by name. */
export function kindsListed(kinds: readonly { readonly id: string; readonly label: string }[]): readonly ListedKind[] {
  const names = kindLabels(kinds);
  return kinds.map(({ id }) => ({ id, name: names.get(id) ?? id })).sort((a, b) => a.name.localeCompare(b.name));
}

/** The id of the kind that was typed, by its name or its id; null where there is none. A list may lack rare kinds. */
export function kindFound(kinds: readonly ListedKind[], typed: string): string | null {
  const wanted = typed.trim().toLowerCase();
  const found = kinds.find(({ id, name }) => name.toLowerCase() === wanted || id.toLowerCase() === wanted);
  return found?.id ?? (WRITTEN.test(typed.trim()) ? typed.trim() : null);
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
