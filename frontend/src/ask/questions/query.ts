/** Which of one's own questions are listed, as the address keeps it. */

/** What is looked for; `page` counts from 1. */
export interface Wanted {
  readonly search: string;
  readonly starred: boolean;
  readonly page: number;
}

/** What an address asks for; what makes no sense is left open. */
export function readWanted(query: string): Wanted {
  const kept = new URLSearchParams(query);
  const page = Number(kept.get('page'));
  return {
    search: kept.get('search') ?? '',
    starred: kept.get('starred') === '1',
    page: Number.isSafeInteger(page) && page > 1 && page <= 1_000_000 ? page : 1,
  };
}

/** The address's query string; empty where all is left open. */
export function writeWanted({ search, starred, page }: Wanted): string {
  const kept = new URLSearchParams();
  if (search) kept.set('search', search);
  if (starred) kept.set('starred', '1');
  if (page > 1) kept.set('page', `${page}`);
  const text = kept.toString();
  return text ? `?${text}` : '';
}
