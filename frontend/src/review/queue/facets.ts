/** What cases are filtered by, in words, and which choices are shown. */
import type { FacetOut } from '../../api/review/review';
import { STAGES } from '../../api/stages';
import { CASES } from '../../core/figures/cases';
import { DOG_CLASSES } from '../../core/figures/dogClasses';
import { shown } from '../../core/words/shown';
import { FACET_NAMES, type CaseFilter, type FacetName } from '../address';
import { causeTitle, VERDICTS } from '../case/verdicts';

/** The facets that are open at first; the others are folded unless something of them is asked for. */
const FIRST: ReadonlySet<FacetName> = new Set(['status', 'result', 'cause']);
/** Number of choices of a facet that are shown at first. */
export const FEW = 8;

const STATUS: Readonly<Record<string, string>> = { open: 'open', done: 'done', unsure: 'unsure' };

/** A choice of a facet as people read it; `names` are the reviewers by their user names. */
export function valueWords(name: FacetName, value: string, names: ReadonlyMap<string, string>): string {
  switch (name) {
    case 'status':
      return STATUS[value] ?? shown(value);
    case 'class': {
      const title = CASES.find((each) => each.name === value)?.title;
      return title ? `${value} ${title}` : shown(value);
    }
    case 'dog':
      return DOG_CLASSES.find((each) => each.name === value)?.title ?? shown(value);
    case 'stage':
      return STAGES.find((stage) => stage.name === value)?.label ?? shown(value);
    case 'says':
      return VERDICTS.find(({ says }) => says === value)?.title ?? shown(value);
    case 'confused': {
      const [gold = '', taken = ''] = value.split('>');
      return `${shown(taken)} instead of ${shown(gold)}`;
    }
    case 'cause':
    case 'named':
      return shown(causeTitle(value));
    case 'assignee':
      return shown(names.get(value) ?? value);
    default:
      return shown(value);
  }
}

export interface Choice {
  readonly value: string;
  readonly count: number;
  readonly chosen: boolean;
}

export interface ShownFacet {
  readonly name: FacetName;
  /** What is chosen comes first. */
  readonly choices: readonly Choice[];
  /** How many choices there are; the server lists the most frequent. */
  readonly total: number;
}

/** The facets that are open, and those that are folded. */
export function facetsOf(
  facets: readonly FacetOut[],
  { chosen, against, beside }: CaseFilter,
): { readonly open: readonly ShownFacet[]; readonly folded: readonly ShownFacet[] } {
  const known = FACET_NAMES.flatMap((name) => {
    const facet = facets.find((each) => each.name === name);
    return facet ? [shownFacet(name, facet, chosen[name] ?? [])] : [];
  });
  const isOpen = ({ name }: ShownFacet) =>
    FIRST.has(name) ||
    (chosen[name]?.length ?? 0) > 0 ||
    (name === 'other' && against !== null) ||
    (name === 'agreement' && beside.length > 0);
  return { open: known.filter(isOpen), folded: known.filter((facet) => !isOpen(facet)) };
}

function shownFacet(name: FacetName, { values, total }: FacetOut, wanted: readonly string[]): ShownFacet {
  const choices = values.map(({ value, count }) => ({ value, count, chosen: wanted.includes(value) }));
  return {
    name,
    choices: [...choices.filter(({ chosen }) => chosen), ...choices.filter(({ chosen }) => !chosen)],
    total: Math.max(total, choices.length),
  };
}

/** The filter with a choice of a facet taken, or taken back. */
export function toggled(filter: CaseFilter, name: FacetName, value: string): CaseFilter {
  const had = filter.chosen[name] ?? [];
  const values = had.includes(value) ? had.filter((each) => each !== value) : [...had, value];
  if (values.length === 0) return withoutFacet(filter, name);
  return { ...filter, chosen: { ...filter.chosen, [name]: values } };
}

/** The filter with a facet left open. */
export function withoutFacet(filter: CaseFilter, name: FacetName): CaseFilter {
  return { ...filter, chosen: Object.fromEntries(Object.entries(filter.chosen).filter(([each]) => each !== name)) };
}

/** The filter that opens the cases behind a cell of the agreement. */
export function behind(proposed: string, said: string): CaseFilter {
  return { chosen: { cause: [proposed], named: [said] }, search: '', against: null, beside: [], sort: 'surest' };
}
