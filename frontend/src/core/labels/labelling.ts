/** A label that a person makes: its draft, the moves that the draft folds to, and what is decided in it. */
import type { components } from '../../api/schema';
import type { Stage } from '../../api/stages';
import type { OptionRecord, RelationRecord, RunEventOut, StageEvent, TermRecord } from '../../api/types';
import { decisionOf, type RunState } from '../events/run';
import { optionWords } from '../words/words';

type Schemas = components['schemas'];

/** All that a label says so far. */
export type Draft = Required<Schemas['Draft']>;
export type Kind = Draft['kind'];
export type Condition = Draft['conditions'][number];
export type LabelledFact = Draft['facts'][number];

/** Which fields of a draft change, from what, to what. */
export interface Change {
  readonly was: Partial<Draft>;
  readonly now: Partial<Draft>;
}

/** A change as the log takes it. */
export interface Move extends Change {
  /** Drawn here, so that a move that is sent twice counts once. */
  readonly id: string;
  /** The number of the move that this one takes back. */
  readonly undoes: number | null;
}

/** A move of the log that may be taken back. */
export interface Logged extends Change {
  readonly number: number;
}

/** The change that gives fields other values; null where they have these already. */
export function changeTo(draft: Draft, wanted: Partial<Draft>): Change | null {
  const fields = (Object.keys(wanted) as (keyof Draft)[]).filter((field) => !same(draft[field], wanted[field]));
  if (fields.length === 0) return null;
  const pick = (from: Partial<Draft>) => Object.fromEntries(fields.map((field) => [field, from[field]]));
  return { was: pick(draft), now: pick(wanted) };
}

/** The draft after a change. */
export function changed(draft: Draft, { now }: Change): Draft {
  return { ...draft, ...now };
}

/** What takes a move of the log back, or brings back what was taken back. */
export function inverse({ number, was, now }: Logged): Change & { readonly undoes: number } {
  return { was: now, now: was, undoes: number };
}

/** What may be taken back and brought back, the next one last in each. */
export interface Stacks {
  readonly undo: readonly Logged[];
  readonly redo: readonly Logged[];
}

/** The stacks with moves that the site does not have yet; its log gives them the numbers after the last one. */
export function stacksWith(saved: Stacks, waiting: readonly Move[], last: number): Stacks {
  const undo = [...saved.undo];
  let redo = [...saved.redo];
  for (const [index, { was, now, undoes }] of waiting.entries()) {
    const logged = { number: last + 1 + index, was, now };
    if (undoes === null) {
      undo.push(logged);
      redo = [];
    } else if (undo.at(-1)?.number === undoes) {
      undo.pop();
      redo.push(logged);
    } else if (redo.at(-1)?.number === undoes) {
      redo.pop();
      undo.push(logged);
    }
  }
  return { undo, redo };
}

/** A decision of a draft. */
export type Decided =
  | { readonly kind: 'topic' | 'steps-ended' | 'conditions-ended' | 'answer' | 'counted' }
  | { readonly kind: 'step' | 'condition'; readonly number: number };

/** The decisions of a draft, in their order. */
export function decidedIn(draft: Draft): readonly Decided[] {
  return [
    ...(draft.topic === null ? [] : [{ kind: 'topic' } as const]),
    ...draft.steps.map((_, number) => ({ kind: 'step', number }) as const),
    ...(draft.steps_ended ? [{ kind: 'steps-ended' } as const] : []),
    ...draft.conditions.map((_, number) => ({ kind: 'condition', number }) as const),
    ...(draft.conditions_ended ? [{ kind: 'conditions-ended' } as const] : []),
    ...(draft.answer === null ? [] : [{ kind: 'answer' } as const]),
    ...(draft.answer === null || !draft.counted ? [] : [{ kind: 'counted' } as const]),
  ];
}

/** The stage of a decision. */
export function stageOf({ kind }: Decided): Stage {
  if (kind === 'topic') return 'link';
  if (kind === 'answer' || kind === 'counted') return 'infer';
  return kind === 'step' || kind === 'steps-ended' ? 'search' : 'prune';
}

/** Which decision of its stage one is, from 0: an end comes after all that it ends. */
export function numberIn(draft: Draft, decided: Decided): number {
  if ('number' in decided) return decided.number;
  if (decided.kind === 'steps-ended') return draft.steps.length;
  if (decided.kind === 'counted') return 1;
  return decided.kind === 'conditions-ended' ? draft.conditions.length : 0;
}

/** The stage whose decision is open; null where all are made. */
export function openStage(draft: Draft): Stage | null {
  if (draft.topic === null) return 'link';
  if (!draft.steps_ended) return 'search';
  if (!draft.conditions_ended) return 'prune';
  return draft.answer === null ? 'infer' : null;
}

/** A draft in which nothing is decided about the derivation. */
export const NOTHING_DECIDED = {
  topic: null,
  steps: [],
  steps_ended: false,
  conditions: [],
  conditions_ended: false,
  answer: null,
  counted: false,
} as const satisfies Partial<Draft>;

/** All decisions that lead to the answers in one way. */
export type Reading = Pick<Draft, 'steps' | 'conditions' | 'counted'> & {
  readonly topic: string;
  readonly answer: number;
};

/** What taking all decisions of a way at once changes. */
export function decidedAs({ topic, steps, conditions, answer, counted }: Reading): Partial<Draft> {
  return { topic, steps, steps_ended: true, conditions, conditions_ended: true, answer, counted };
}

/** What taking an option of the open decision of a stage changes. */
export function taken(draft: Draft, stage: Stage, option: OptionRecord): Partial<Draft> {
  switch (option.kind) {
    case 'none':
      return stage === 'prune' ? { conditions_ended: true } : { steps_ended: true };
    case 'topic':
      return { topic: option.term.id };
    case 'step':
      return { steps: [...draft.steps, stepOf(option.position, option.relation)] };
    case 'constraint':
      return withCondition(draft, conditionOf(option));
    case 'answer':
      return { answer: option.position };
  }
}

/** What setting one condition more changes. */
export function withCondition(draft: Draft, condition: Condition): Partial<Draft> {
  return { conditions: [...draft.conditions, condition] };
}

/** What taking another option in the place of a decision changes: what grew from that decision goes. */
export function takenInstead(draft: Draft, decided: Decided, option: OptionRecord): Partial<Draft> {
  const stage = stageOf(decided);
  if (decided.kind === 'topic') return { ...NOTHING_DECIDED, ...taken(draft, stage, option) };
  if (decided.kind === 'answer') return taken(draft, stage, option);
  if (decided.kind === 'step' && option.kind === 'step') {
    const at = decided.number + 1;
    const rest = without(draft, grownFrom(draft, at));
    const steps = rest.steps.map((step, number) =>
      number === decided.number ? stepOf(option.position, option.relation) : step,
    );
    return { ...rest, steps, conditions: rest.conditions.filter(({ position }) => position !== at) };
  }
  if (decided.kind === 'condition' && option.kind === 'constraint') {
    const condition = conditionOf(option);
    return { conditions: draft.conditions.map((each, number) => (number === decided.number ? condition : each)) };
  }
  const rest = { ...draft, ...removed(draft, decided) };
  return { ...removed(draft, decided), ...taken(rest, stage, option) };
}

/** What taking a decision out changes: what grew from it goes too, and its stage is open again. */
export function removed(draft: Draft, decided: Decided): Partial<Draft> {
  switch (decided.kind) {
    case 'topic':
      return NOTHING_DECIDED;
    case 'step': {
      const at = decided.number + 1;
      return { ...without(draft, new Set([at, ...grownFrom(draft, at)])), steps_ended: false };
    }
    case 'steps-ended':
      return { steps_ended: false };
    case 'condition':
      return {
        conditions: draft.conditions.filter((_, number) => number !== decided.number),
        conditions_ended: false,
      };
    case 'conditions-ended':
      return { conditions_ended: false };
    case 'answer':
      return { answer: null, counted: false };
    case 'counted':
      return { counted: false };
  }
}

/** The positions of S_k that grew from one, without it. The step of a number leads to the position after it. */
function grownFrom({ steps }: Draft, position: number): ReadonlySet<number> {
  const grown = new Set([position]);
  for (const [number, step] of steps.entries()) if (grown.has(step.position)) grown.add(number + 1);
  grown.delete(position);
  return grown;
}

/** Steps, conditions and answer without some positions; the others move up. */
function without(draft: Draft, gone: ReadonlySet<number>): Pick<Draft, 'steps' | 'conditions' | 'answer' | 'counted'> {
  const moved = (position: number) => position - [...gone].filter((each) => each < position).length;
  const stays = ({ position }: { readonly position: number }) => !gone.has(position);
  const placed = <Each extends { readonly position: number }>(each: Each) => ({
    ...each,
    position: moved(each.position),
  });
  return {
    steps: draft.steps.filter((_, number) => !gone.has(number + 1)).map(placed),
    conditions: draft.conditions.filter(stays).map(placed),
    answer: draft.answer === null || gone.has(draft.answer) ? null : moved(draft.answer),
    counted: draft.counted && draft.answer !== null && !gone.has(draft.answer),
  };
}

function stepOf(position: number, relation: RelationRecord): Draft['steps'][number] {
  return { kind: 'step', position, relation: relation.id };
}

function conditionOf(option: Extract<OptionRecord, { kind: 'constraint' }>): Condition {
  const { position, operator, target } = option.constraint;
  return { kind: 'constraint', position, operator, target: target?.id ?? null };
}

/** The decision that is open at the end of the events, with its options; null where all are made. */
export function openDecision(events: readonly StageEvent[]): OpenDecision | null {
  const last = events.at(-1);
  if (last?.kind !== 'undecided') return null;
  return { stage: last.stage as Stage, options: last.options, total: last.total };
}

/** A decision that is to be made. */
export interface OpenDecision {
  readonly stage: Stage;
  readonly options: readonly OptionRecord[];
  /** How many options there are, listed or not. */
  readonly total: number;
}

/**
 * Options in the order in which a person reads them: those of the newest node first, as a search goes on from there
 * more often than not, and nothing more at the end.
 */
export function inReadingOrder(options: readonly OptionRecord[]): readonly OptionRecord[] {
  const place = (option: OptionRecord) => (option.kind === 'step' ? -option.position : option.kind === 'none' ? 1 : 0);
  return [...options].sort((one, other) => place(one) - place(other));
}

/** Options that were found by what was typed: those whose own name begins so first, then those whose name holds it. */
export function bestFirst(found: readonly OptionRecord[], typed: string, state: RunState): readonly OptionRecord[] {
  const wanted = typed.trim().toLowerCase();
  const rank = (option: OptionRecord) => {
    const at = optionWords(state, option).toLowerCase().indexOf(wanted);
    return at === 0 ? 0 : at > 0 ? 1 : 2;
  };
  return wanted === '' ? found : [...found].sort((one, other) => rank(one) - rank(other));
}

/** The events as a run has them. */
export function numbered(events: readonly StageEvent[]): readonly RunEventOut[] {
  return events.map((event, index) => ({ seq: index + 1, event }));
}

/** What relations and terms are called, by their ids. */
export interface Names {
  readonly relations: ReadonlyMap<string, RelationRecord>;
  readonly terms: ReadonlyMap<string, TermRecord>;
}

export const NO_NAMES: Names = { relations: new Map(), terms: new Map() };

/** The part of the result of a draft that has names. */
type Naming = Pick<Schemas['LedToOut'], 'events' | 'answers' | 'named_terms' | 'named_relations'>;

/** The known names, with those in a draft's events and of all else that the draft names. */
export function namesWith(known: Names, { events, answers, named_terms, named_relations }: Naming): Names {
  const relations = new Map([...known.relations, ...named_relations.map((each) => [each.id, each] as const)]);
  const terms = new Map([...known.terms, ...[...answers, ...named_terms].map((each) => [each.id, each] as const)]);
  for (const event of events) {
    const options = event.kind === 'undecided' ? event.options : (decisionOf(event)?.options ?? []);
    for (const option of options) {
      if (option.kind === 'step') relations.set(option.relation.id, option.relation);
      else if (option.kind === 'topic') terms.set(option.term.id, option.term);
      else if (option.kind === 'constraint' && option.constraint.target) {
        terms.set(option.constraint.target.id, option.constraint.target);
      }
    }
    if (event.kind === 'entity_linked' && event.topic) terms.set(event.topic.id, event.topic);
    if (event.kind === 'constraint_chosen' && event.constraint.target) {
      terms.set(event.constraint.target.id, event.constraint.target);
    }
    if (event.kind === 'search_step') {
      for (const { source, target } of event.facts) terms.set(source.id, source).set(target.id, target);
    }
  }
  return { relations, terms };
}

/** A list with something put in where it was not, or taken out where it was. */
export function toggled<Each>(list: readonly Each[], one: Each): Each[] {
  const rest = list.filter((each) => !same(each, one));
  return rest.length < list.length ? rest : [...list, one];
}

/** Whether two values say the same. */
export function same(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [left, right] = [Object.entries(one), Object.entries(other)];
  return (
    left.length === right.length &&
    left.every(([name, value]) => name in other && same(value, (other as Record<string, unknown>)[name]))
  );
}
