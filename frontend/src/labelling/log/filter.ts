/** Which entries of a log are looked at, as the address of the page keeps it. */
import type { LogWanted, LogWhat } from '../../api/labelling/labellingLog';

export interface LogFilter {
  /** The id of who did it. */
  readonly person: number | null;
  /** The number of a task, or words of its question. */
  readonly search: string;
  readonly what: LogWhat | null;
  /** The first and the last day, as "2026-11-23" where the reader is; "" for none. */
  readonly from: string;
  readonly to: string;
}

/** What may be looked at: kinds of entries, then what a move changes. */
export const ENTRIES: readonly (readonly [LogWhat, string])[] = [
  ['moves', 'Changes'],
  ['handed_in', 'Handed in'],
  ['sent_back', 'Sent back'],
  ['accepted', 'Accepted'],
  ['withdrawn', 'Withdrawn or no longer valid'],
];
export const CHANGES: readonly (readonly [LogWhat, string])[] = [
  ['kind', 'Kind of label'],
  ['topic', 'Topic'],
  ['steps', 'Relations'],
  ['conditions', 'Conditions'],
  ['answer', 'Answer node'],
  ['marked', 'Marked answers'],
  ['facts', 'Facts'],
  ['missing', 'Missing part'],
  ['readings', 'Readings'],
  ['rewording', 'Rewording'],
  ['benchmark', 'The benchmark'],
  ['reports', 'Reported facts'],
  ['note', 'Note'],
  ['flagged', 'Flag'],
];
const WHATS = new Map<string, LogWhat>([...ENTRIES, ...CHANGES].map(([what]) => [what, what]));

const DAY = /^[12]\d{3}-\d{2}-\d{2}$/;

/** What a chosen word stands for; null where for nothing. */
export const whatOf = (word: string): LogWhat | null => WHATS.get(word) ?? null;

/** The filter that a query string keeps; what it cannot read is left out. */
export function filterOf(query: string): LogFilter {
  const kept = new URLSearchParams(query);
  const person = Number(kept.get('person'));
  const day = (name: string): string => {
    const text = kept.get(name) ?? '';
    return DAY.test(text) && !Number.isNaN(Date.parse(`${text}T00:00`)) ? text : '';
  };
  return {
    person: Number.isInteger(person) && person > 0 && person < 2 ** 31 ? person : null,
    search: (kept.get('search') ?? '').slice(0, 1_000),
    what: whatOf(kept.get('what') ?? ''),
    from: day('from'),
    to: day('to'),
  };
}

/** The query string that keeps a filter; "" for that of everything. */
export function queryOf({ person, search, what, from, to }: LogFilter): string {
  const kept = new URLSearchParams();
  if (person !== null) kept.set('person', `${person}`);
  if (search) kept.set('search', search);
  if (what) kept.set('what', what);
  if (from) kept.set('from', from);
  if (to) kept.set('to', to);
  const text = kept.toString();
  return text ? `?${text}` : '';
}

/** The same as it is asked for: days begin and end where the reader is. */
export function wantedOf({ person, search, what, from, to }: LogFilter): LogWanted {
  return {
    ...(person === null ? {} : { person }),
    ...(search.trim() ? { search: search.trim() } : {}),
    ...(what ? { what } : {}),
    ...(from ? { since: new Date(`${from}T00:00`).toISOString() } : {}),
    ...(to ? { until: dayAfter(to).toISOString() } : {}),
  };
}

function dayAfter(day: string): Date {
  const after = new Date(`${day}T00:00`);
  after.setDate(after.getDate() + 1);
  return after;
}
