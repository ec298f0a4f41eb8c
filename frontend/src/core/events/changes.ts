/** What may be decided otherwise at a moment of a run, and the change that says so. */
import type { components } from '../../api/schema';
import type { Stage } from '../../api/stages';
import type { ConstraintRecord, OptionRecord, TermKind } from '../../api/types';
import type { RunState } from './run';
import type { Moment } from './timeline';

type Schemas = components['schemas'];
export type Change = Schemas['ChangedRunIn']['change'];
export type Choice = Schemas['ReplaceIn']['choice'];
export type Later = 'keep' | 'ask';
export type Operator = ConstraintRecord['operator'];

/** Which decision of its stage a moment is, from 0. */
export function numberOf(moments: readonly Moment[], { stage, step }: Moment): number {
  return moments.filter((moment) => !moment.aside && moment.stage === stage && moment.step < step).length;
}

/** The step of a decision of a stage, which counts from 0 there; null where the run made no such decision. */
export function stepOfDecision(moments: readonly Moment[], stage: Stage, number: number): number | null {
  return moments.filter((moment) => !moment.aside && moment.stage === stage)[number]?.step ?? null;
}

/** What happens to later decisions by default: a condition does not change the steps that lead to its node. */
export function usualLater(stage: Stage): Later {
  return stage === 'prune' || stage === 'infer' ? 'keep' : 'ask';
}

/** What taking an option decides. */
export function choiceOf(option: OptionRecord): Choice {
  switch (option.kind) {
    case 'none':
      return { kind: 'none' };
    case 'topic':
      return { kind: 'topic', entity: option.term.id };
    case 'step':
      return { kind: 'step', position: option.position, relation: option.relation.id };
    case 'constraint': {
      const { position, operator, target } = option.constraint;
      return { kind: 'constraint', position, operator, target: target?.id ?? null };
    }
    case 'answer':
      return { kind: 'answer', position: option.position };
  }
}

/** Another option instead of the one that was chosen at a moment. */
export function insteadOf(moments: readonly Moment[], moment: Moment, option: OptionRecord, later: Later): Change {
  return { kind: 'replace', stage: moment.stage, number: numberOf(moments, moment), choice: choiceOf(option), later };
}

/** Another topic, whether the question names it or not. */
export function aboutInstead(entity: string): Change {
  return { kind: 'replace', stage: 'link', number: 0, choice: { kind: 'topic', entity }, later: 'ask' };
}

/** The condition of a moment is dropped; null where it sets none. */
export function dropped(moments: readonly Moment[], moment: Moment, later: Later): Change | null {
  if (moment.stage !== 'prune' || chosenKind(moment) !== 'constraint') return null;
  return { kind: 'remove', stage: 'prune', number: numberOf(moments, moment), later };
}

/** The search ends after the step of a moment; null where it does so anyway, or the moment is no step. */
export function stoppedAfter(moments: readonly Moment[], moment: Moment): Change | null {
  const next = moments.find(({ step, aside }) => step > moment.step && !aside);
  if (moment.stage !== 'search' || chosenKind(moment) !== 'step' || next?.stage !== 'search') return null;
  if (chosenKind(next) !== 'step') return null;
  return { kind: 'end', stage: 'search', number: numberOf(moments, moment) + 1, later: 'ask' };
}

/** The likeliest option with which a search goes on that ended at a moment; null where it did not, or cannot. */
export function goesOnWith({ stage, decision }: Moment): OptionRecord | null {
  if (stage !== 'search' || !decision) return null;
  if (decision.options.find(({ index }) => index === decision.chosen)?.kind !== 'none') return null;
  return decision.options.reduce<OptionRecord | null>((best, option) => {
    if (option.kind !== 'step') return best;
    return best === null || (option.probability ?? 0) > (best.probability ?? 0) ? option : best;
  }, null);
}

/** A place that may bear a condition, and which comparisons it may be. */
export interface Bearer {
  readonly position: number;
  readonly kind: TermKind;
  readonly operators: readonly Operator[];
}

/**
 * The places that may bear one more condition, so that one is left to hold the answer; of links, that they held. Of
 * what kind the answer is may be said too.
 */
export function bearersOf({ nodes, constraints }: RunState): readonly Bearer[] {
  const bound = new Set(constraints.filter(({ operator }) => operator !== 'kind').map(({ position }) => position));
  const places = nodes.map(({ out }) => out).filter(({ position }) => position > 0);
  const free = places.filter(({ position, kind }) => kind !== 'mediator' && !bound.has(position));
  return places
    .map(({ position, kind }): Bearer => {
      const compared = free.some((place) => place.position !== position) ? operatorsOf(kind) : [];
      return { position, kind, operators: kind === 'entity' ? [...compared, 'kind'] : compared };
    })
    .filter(({ operators }) => operators.length > 0);
}

const COMPARED: readonly Operator[] = ['=', '<', '<=', '>', '>=', 'min', 'max'];

/** How the terms of a place may be compared. */
export function operatorsOf(kind: TermKind): readonly Operator[] {
  if (kind === 'mediator') return ['holds'];
  return kind === 'number' || kind === 'date' ? COMPARED : ['='];
}

/** What the terms of a place are compared with: of a link that held, that is a date. */
export function targetKind(kind: TermKind): TermKind {
  return kind === 'mediator' ? 'date' : kind;
}

/** The day that "now" means as it is typed, as the id of a term; null where it is not typed, or no such day is known. */
export function nowTyped(typed: string, today: string | null | undefined): string | null {
  return today && typed.trim().toLowerCase() === 'now' ? literalTyped('date', today) : null;
}

/** Whether a comparison ranks the terms of a place among themselves; its target is the place in their order, if any. */
export function isExtremal(operator: Operator): boolean {
  return operator === 'min' || operator === 'max';
}

/** The places in an order that a person may ask for. */
export const PLACES_OFFERED = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;

/** A place in an order as the id of a term; null for the first, which needs none. */
export function placeTarget(place: number): string | null {
  return place > 1 ? `"${place}"^^xsd:integer` : null;
}

/** A number or a date as it is typed, as the id of a term; null where it is none. */
export function literalTyped(kind: TermKind, typed: string): string | null {
  const text = typed.trim();
  if (kind === 'number') return text !== '' && Number.isFinite(Number(text)) ? `"${text}"^^xsd:decimal` : null;
  if (kind === 'date') return /^\d{1,4}(-\d{2}(-\d{2})?)?$/.test(text) ? `"${text.padStart(4, '0')}"^^xsd:date` : null;
  return text === '' ? null : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** One condition more, after those that stand. */
export function conditionAdded(
  { constraints }: RunState,
  condition: { readonly position: number; readonly operator: Operator; readonly target: string | null },
): Change {
  const choice: Choice = { kind: 'constraint', ...condition };
  return { kind: 'insert', stage: 'prune', number: constraints.length, choice, later: 'keep' };
}

/** A run of a tree of variants, as far as its shape counts. */
export interface Branch {
  readonly id: string;
  readonly parent: string | null;
}

/** The runs of a tree with their depth, each after the one that it varies; those whose parent is not listed are roots. */
export function treeRows<Each extends Branch>(runs: readonly Each[]): readonly { run: Each; depth: number }[] {
  const listed = new Set(runs.map(({ id }) => id));
  const rows: { run: Each; depth: number }[] = [];
  const under = (parent: string | null, depth: number) => {
    for (const run of runs) {
      const own = run.parent !== null && listed.has(run.parent) ? run.parent : null;
      if (own !== parent) continue;
      rows.push({ run, depth });
      under(run.id, depth + 1);
    }
  };
  under(null, 0);
  return rows;
}

function chosenKind({ decision }: Moment): OptionRecord['kind'] | undefined {
  return decision?.options.find(({ index }) => index === decision.chosen)?.kind;
}
