/** Which cases are listed and which one is open, as addresses keep it. */
import { FACETS } from '../api/review/facets';
import type { CaseQuery } from '../api/review/review';

export type FacetName = keyof typeof FACETS;
/** In the order of the page. */
export const FACET_NAMES = Object.keys(FACETS) as readonly FacetName[];
const SORTS = ['surest', 'worst', 'given'] as const;
export type Sort = (typeof SORTS)[number];

/** Which cases are listed, and in which order. */
export interface CaseFilter {
  readonly chosen: Readonly<Partial<Record<FacetName, readonly string[]>>>;
  readonly search: string;
  /** Another evaluation of the same questions; null where there is none beside. */
  readonly against: string | null;
  /** Other evaluations of the same questions, by whose agreement cases are found. */
  readonly beside: readonly string[];
  readonly sort: Sort;
}

/** A case of a source, in a list that a filter made. */
export interface OpenedCase {
  /** An evaluation's id, or `asked`. */
  readonly of: string;
  readonly key: string;
  readonly filter: CaseFilter;
}

const ID = /^[0-9a-f-]{36}$/;
/** With the one that is reviewed, the server compares no more. */
export const MOST_BESIDE = 11;
/** The address of a list without filters. Without it, the default filters would apply. */
const ALL = 'all';
const KEY = /^(?:\d{1,9}|[0-9a-f-]{36})$/;

/** The filter of an address; what makes no sense is left open. */
export function readFilter(search: string): CaseFilter {
  const kept = new URLSearchParams(search);
  const against = kept.get('against') ?? '';
  return {
    chosen: Object.fromEntries(
      FACET_NAMES.map((name) => [name, valuesOf(kept, name)] as const).filter(([, values]) => values.length > 0),
    ),
    search: kept.get('search') ?? '',
    against: ID.test(against) ? against : null,
    beside: [...new Set(kept.getAll('beside'))].filter((id) => ID.test(id)).slice(0, MOST_BESIDE),
    sort: SORTS.find((sort) => sort === kept.get('sort')) ?? 'surest',
  };
}

function valuesOf(kept: URLSearchParams, name: FacetName): readonly string[] {
  const { longest, most } = FACETS[name];
  const values = kept.getAll(name).filter((value) => value !== '' && value.length <= longest);
  return [...new Set(values)].slice(0, most);
}

/** What an address keeps of a filter: a query string without its question mark, empty where all is left open. */
export function writeFilter({ chosen, search, against, beside, sort }: CaseFilter): string {
  const kept = new URLSearchParams();
  for (const name of FACET_NAMES) for (const value of chosen[name] ?? []) kept.append(name, value);
  if (search) kept.set('search', search);
  if (against !== null) kept.set('against', against);
  for (const id of beside) kept.append('beside', id);
  if (sort !== 'surest') kept.set('sort', sort);
  return kept.toString();
}

/** The same for requests. */
export function queryOf({ chosen, search, against, beside, sort }: CaseFilter): CaseQuery {
  const lists = FACET_NAMES.flatMap((name) => {
    const values = chosen[name];
    return values ? [[FACETS[name].parameter, [...values]] as const] : [];
  });
  return {
    ...Object.fromEntries(lists),
    ...(search ? { search } : {}),
    ...(against === null ? {} : { against }),
    ...(beside.length === 0 ? {} : { beside: [...beside] }),
    sort,
  };
}

/** Open cases: wrong answers without a verdict. */
export function toDo(of: string): CaseFilter {
  const result = of === 'asked' ? {} : { result: ['wrong', 'partly right'] };
  return { chosen: { status: ['open'], ...result }, search: '', against: null, beside: [], sort: 'surest' };
}

/** Whether the address of a list says nothing of what is wanted. */
export function isBare(search: string): boolean {
  return new URLSearchParams(search).size === 0;
}

/** The query string of a list of cases, with its question mark; `row` is the key of a case to come back to. */
export function queueSearch(filter: CaseFilter, row: string | null = null): string {
  const query = [writeFilter(filter) || ALL, ...(row === null ? [] : [`row=${row}`])];
  return `?${query.join('&')}`;
}

/** The address of a list of cases; `row` is the key of a case to come back to. */
export function queueAddress(of: string, filter: CaseFilter, row: string | null = null): string {
  return `/review/${of}${queueSearch(filter, row)}`;
}

/** The case that an address of a list comes back to; null where it names none. */
export function readRow(search: string): string | null {
  const row = new URLSearchParams(search).get('row') ?? '';
  return KEY.test(row) ? row : null;
}

/** The address of a case in such a list. */
export function caseAddress({ of, key, filter }: OpenedCase): string {
  const query = writeFilter(filter);
  return `/review/${of}/cases/${key}${query ? `?${query}` : ''}`;
}

/** The case that the address of a run names; null where it names none. */
export function readOpenedCase(search: string): OpenedCase | null {
  const kept = new URLSearchParams(search);
  const [of, key] = [kept.get('review') ?? '', kept.get('case') ?? ''];
  if ((of !== 'asked' && !ID.test(of)) || !KEY.test(key)) return null;
  return { of, key, filter: readFilter(search) };
}

/** What the address of a run keeps of the case that it was opened from: a query string without its question mark. */
export function writeOpenedCase({ of, key, filter }: OpenedCase): string {
  const query = writeFilter(filter);
  const opened = new URLSearchParams({ review: of, case: key }).toString();
  return query ? `${opened}&${query}` : opened;
}
