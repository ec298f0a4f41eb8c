/** Which evaluations are listed, as the address keeps it. */

/** What is looked for; `page` counts from 1. */
export interface Wanted {
  readonly search: string;
  readonly dataset: string;
  readonly group: string;
  readonly starred: boolean;
  readonly page: number;
}

/** What an address asks for; what makes no sense is left open. */
export function readWanted(query: string): Wanted {
  const kept = new URLSearchParams(query);
  const page = Number(kept.get('page'));
  return {
    search: kept.get('search') ?? '',
    dataset: kept.get('dataset') ?? '',
    group: kept.get('group') ?? '',
    starred: kept.get('starred') === '1',
    page: Number.isSafeInteger(page) && page > 1 && page <= 1_000_000 ? page : 1,
  };
}

/** The address's query string; empty where all is left open. */
export function writeWanted({ search, dataset, group, starred, page }: Wanted): string {
  const kept = new URLSearchParams();
  for (const [key, value] of Object.entries({ search, dataset, group })) if (value) kept.set(key, value);
  if (starred) kept.set('starred', '1');
  if (page > 1) kept.set('page', `${page}`);
  const text = kept.toString();
  return text ? `?${text}` : '';
}

/** Whether something is looked for, so that not all evaluations are listed. */
export const isNarrowed = ({ search, dataset, group, starred }: Wanted): boolean =>
  search.trim() !== '' || dataset !== '' || group !== '' || starred;
