/** Which questions of an evaluation are listed, as the address keeps it. */
import { STAGES, type Stage } from '../../api/stages';
import type { QuestionQuery } from '../../api/types';
import { VERDICT_WORDS } from '../../api/wording';
import { DOG_CLASSES } from '../../core/figures/dogClasses';
import { shown } from '../../core/words/shown';

/** The filter; whatever is not in it is left open. */
export type Filter = Omit<QuestionQuery, 'offset' | 'limit' | 'against'>;

const CASES = ['C1', 'C2', 'E1', 'E2', 'E3'] as const;
const CHANGES = ['any', 'only_this', 'only_other', 'answers'] as const;
const VERDICTS = [
  'answered',
  'unanswered',
  'from_the_model',
  'not_in_graph',
  'no_answer_found',
  'conditions_leave_nothing',
  'failed',
] as const;

function oneOf<T extends string>(values: readonly T[], text: string | null): T | undefined {
  return values.find((value) => value === text);
}

function numberIn(text: string | null): number | undefined {
  const value = text === null || text === '' ? NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function truth(text: string | null): boolean | undefined {
  return text === '1' ? true : text === '0' ? false : undefined;
}

/** The filter of an address; what makes no sense is left open. */
export function readFilter(search: string): Filter {
  const kept = new URLSearchParams(search);
  const filter: Record<string, unknown> = {
    case: oneOf(CASES, kept.get('case')),
    dog_class: DOG_CLASSES.find(({ name }) => name === kept.get('dog'))?.name,
    right: truth(kept.get('right')),
    verdict: oneOf(VERDICTS, kept.get('verdict')),
    leaves: numberIn(kept.get('leaves')),
    hops: numberIn(kept.get('hops')),
    graph_gap: truth(kept.get('gap')),
    answerable: truth(kept.get('answerable')),
    seen: truth(kept.get('seen')),
    f1_from: numberIn(kept.get('from')),
    f1_below: numberIn(kept.get('below')),
    label: kept.get('label') || undefined,
    search: kept.get('search') || undefined,
    changed: oneOf(CHANGES, kept.get('changed')),
    relation: kept.get('relation') || undefined,
    domain: kept.get('domain') || undefined,
    word: kept.get('word') || undefined,
    linking: truth(kept.get('linking')),
    confused: kept.get('confused') || undefined,
    order: oneOf(
      ORDERINGS.map(([order]) => order),
      kept.get('order'),
    ),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Filter;
}

const KEYS = { dog_class: 'dog', graph_gap: 'gap', f1_from: 'from', f1_below: 'below' } as Readonly<
  Record<string, string>
>;

/** The address's query string of a filter; empty where all is left open. */
export function writeFilter(filter: Filter): string {
  const kept = new URLSearchParams();
  for (const [key, value] of Object.entries(filter)) {
    if (value === undefined || value === null || value === '' || (key === 'order' && value === 'position')) continue;
    kept.set(KEYS[key] ?? key, typeof value === 'boolean' ? (value ? '1' : '0') : String(value));
  }
  const text = kept.toString();
  return text ? `?${text}` : '';
}

/** The orders that a list may have, with their names. */
export const ORDERINGS: readonly (readonly [order: 'position' | 'worst' | 'slowest' | Stage, words: string])[] = [
  ['position', 'as in the dataset'],
  ['worst', 'worst F1 first'],
  ['slowest', 'slowest first'],
  ...STAGES.map(({ name, label }) => [name, `slowest first in “${label}”`] as const),
];

/** The changes that leave some keys of a filter open. */
export function without(keys: readonly (keyof Filter)[]): Filter {
  return Object.fromEntries(keys.map((key) => [key, undefined])) as Filter;
}

/** What a chart's bar chose, one chip each: the keys to drop, and the words. */
export function chipsOf(
  filter: Filter,
): readonly { readonly keys: readonly (keyof Filter)[]; readonly words: string }[] {
  const chips: { keys: readonly (keyof Filter)[]; words: string }[] = [];
  if (filter.leaves !== undefined && filter.leaves !== null)
    chips.push({ keys: ['leaves'], words: filter.leaves === 1 ? '1 leaf' : `${filter.leaves} leaves` });
  if (filter.hops !== undefined && filter.hops !== null)
    chips.push({ keys: ['hops'], words: filter.hops === 1 ? '1 hop' : `${filter.hops} hops` });
  if (filter.f1_from !== undefined || filter.f1_below !== undefined) {
    const from = filter.f1_from ?? 0;
    const words =
      from >= 1
        ? 'F1 of 1'
        : filter.f1_below && filter.f1_below < 0.01
          ? 'F1 of 0'
          : `F1 from ${from} to ${filter.f1_below ?? 1}`;
    chips.push({ keys: ['f1_from', 'f1_below'], words });
  }
  if (filter.graph_gap !== undefined && filter.graph_gap !== null)
    chips.push({ keys: ['graph_gap'], words: filter.graph_gap ? 'gold not in the graph' : 'gold in the graph' });
  if (filter.answerable !== undefined && filter.answerable !== null)
    chips.push({ keys: ['answerable'], words: filter.answerable ? 'with an answer' : 'without an answer' });
  if (filter.seen !== undefined && filter.seen !== null)
    chips.push({ keys: ['seen'], words: filter.seen ? 'seen in training' : 'not seen in training' });
  const dog = DOG_CLASSES.find(({ name }) => name === filter.dog_class);
  if (dog) chips.push({ keys: ['dog_class'], words: `DoG: ${dog.title}` });
  for (const name of ['relation', 'domain', 'word'] as const) {
    const value = filter[name];
    if (value) chips.push({ keys: [name], words: `${name}: ${shown(value)}` });
  }
  if (filter.linking !== undefined && filter.linking !== null)
    chips.push({ keys: ['linking'], words: filter.linking ? 'right topic found' : 'wrong topic found' });
  if (filter.confused) {
    const [gold = '', chosen = ''] = filter.confused.split('>');
    chips.push({ keys: ['confused'], words: `${shown(chosen)} instead of ${shown(gold)}` });
  }
  if (filter.verdict) chips.push({ keys: ['verdict'], words: FILTER_WORDS[filter.verdict] ?? filter.verdict });
  return chips;
}

const FILTER_WORDS: Readonly<Record<string, string>> = {
  ...VERDICT_WORDS,
  unanswered: 'not answered',
  from_the_model: 'answered by the model itself',
  failed: 'failed',
};
