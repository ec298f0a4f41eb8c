/** The words for what the engine reports: short, plain, the same everywhere. */
import { plural, number, decimal, dayWords, monthName } from './format';
import type { ConstraintRecord, GraphOut, OptionRecord, RelationRecord, TermKind, TermRecord } from '../../api/types';
import {
  BEFORE_CHRIST,
  COMPARISONS,
  CONDITION,
  DATES_PLACED,
  DATE_COMPARISONS,
  HELD,
  KINDS as KINDS_SAID,
  PLACE,
  PLACED,
  PLACES,
  PLACE_ENDINGS,
  QUANTITY,
} from '../../api/wording';
import { filled } from './filled';
import type { Entry } from './glossary';
import type { RunState } from '../events/run';
import { nameShown, shown } from './shown';

/** A term as people write it: 37,253,956; 1.85 m; 6 February 2011; William Daniels. */
export function termWords(term: TermRecord, unit?: string | null): string {
  switch (term.kind) {
    case 'number':
      return unit ? filled(QUANTITY, { number: numberWords(term.label), unit }) : numberWords(term.label);
    case 'date':
      return dateWords(term.label);
    default:
      return nameShown(term.label);
  }
}

function numberWords(label: string): string {
  const value = Number(label);
  return Number.isFinite(value) && label.trim() ? decimal(value, 6) : shown(label);
}

function dateWords(label: string): string {
  const [, sign, year, month, day] = /^(-?)(\d{1,12})(?:-(0[1-9]|1[0-2])(?:-(\d{2}))?)?$/.exec(label) ?? [];
  if (!year) return shown(label);
  const name = month ? monthName(Number(month)) : '';
  const date = [day ? Number(day) : '', name, Number(year)].join(' ').trim();
  return sign ? filled(BEFORE_CHRIST, { date }) : date;
}

/** What people call a semantic node: the topic's name, else the relation that leads to it. */
export function nodeLabel(state: RunState, position: number): string {
  const node = state.nodes[position]?.out;
  if (!node) return filled(PLACE, { position: `${position}` });
  const topic = state.linked?.topic;
  if (node.relation) return nameShown(node.relation.label);
  return topic ? termWords(topic) : shown(node.name);
}

/** A condition: "character is KITT", "start is the earliest". */
export function conditionWords(state: RunState, constraint: ConstraintRecord): string {
  return filled(CONDITION, {
    node: nodeLabel(state, constraint.position),
    comparison: comparisonWords(state, constraint),
  });
}

/** What a condition asks, without its subject: "is KITT", "is before 1990". */
export function comparisonWords(state: RunState, constraint: ConstraintRecord): string {
  if (constraint.operator === 'holds' && constraint.target) return heldWords(state, constraint.target);
  if (constraint.target && (constraint.operator === 'min' || constraint.operator === 'max')) {
    const placed = state.nodes[constraint.position]?.out.kind === 'date' ? DATES_PLACED : PLACED;
    return filled(placed[constraint.operator], { place: placeWords(constraint.target.label) });
  }
  const kind = constraint.target?.kind ?? state.nodes[constraint.position]?.out.kind ?? 'entity';
  const isDay = constraint.operator === '=' && /-\d\d-/.test(constraint.target?.label ?? '');
  const words = kind === 'date' && !isDay ? DATE_COMPARISONS : COMPARISONS;
  const unit = state.nodes[constraint.position]?.out.relation?.unit;
  const target = constraint.operator === 'kind' ? kindWords(constraint.target) : targetWords(constraint.target, unit);
  return filled(words[constraint.operator], { target });
}

function targetWords(target: TermRecord | null, unit?: string | null): string {
  return target ? termWords(target, unit) : '';
}

/** A kind with its article: "a country", "an actor"; "of a kind" where it is still to be chosen. */
function kindWords(kind: TermRecord | null): string {
  if (!kind) return KINDS_SAID.open;
  // Kinds that begin with u ("university") have "a".
  return filled(/^[aeio]/i.test(kind.label) ? KINDS_SAID.an : KINDS_SAID.a, { kind: termWords(kind) });
}

/** A place in an order: "second", "11th", "22nd". */
export function placeWords(label: string): string {
  const place = Number(label);
  if (!Number.isInteger(place) || place < 2) return shown(label);
  const word = PLACES[place - 2];
  if (word) return word;
  const last = Math.floor(place / 10) % 10 === 1 ? 'other' : `${place % 10}`;
  const ending = last === '1' || last === '2' || last === '3' ? PLACE_ENDINGS[last] : PLACE_ENDINGS.other;
  return filled(ending, { number: `${place}` });
}

/** That something held then: "held in 2010", "held on 6 February 2011", "is still true on 25 November 2026". */
function heldWords(state: RunState, target: TermRecord): string {
  const isNow = target.label === state.started?.today;
  const words = isNow ? HELD.now : /-\d\d-/.test(target.label) ? HELD.day : HELD.then;
  return filled(words, { target: termWords(target) });
}

const SIGNS = {
  '=': '=',
  '<': '<',
  '<=': '≤',
  '>': '>',
  '>=': '≥',
  min: 'min',
  max: 'max',
  holds: 'held',
  kind: '∈',
} as const;

/** A condition in the method's own notation: "= KITT", "≤ 1990", "max". */
export function conditionSigns(constraint: ConstraintRecord): string {
  const sign = SIGNS[constraint.operator];
  return constraint.target ? `${sign} ${termWords(constraint.target)}` : sign;
}

/** An option as a few words. */
export function optionWords(state: RunState, option: OptionRecord): string {
  switch (option.kind) {
    case 'none':
      return 'None';
    case 'topic':
      return termWords(option.term);
    case 'step':
      return nameShown(option.relation.label);
    case 'constraint':
      return conditionWords(state, option.constraint);
    case 'answer':
      return nodeLabel(state, option.position);
  }
}

/** The position of S_k that an option touches. */
export function optionPosition(option: OptionRecord): number | null {
  switch (option.kind) {
    case 'none':
    case 'topic':
      return null;
    case 'constraint':
      return option.constraint.position;
    case 'step':
    case 'answer':
      return option.position;
  }
}

/** What a relation's tooltip says: its id and which way it is followed. */
export function relationTitle(relation: RelationRecord): string {
  const predicate = shown(relation.id.replace(/^\^/, ''));
  return relation.reverse ? `${predicate}, followed backwards` : predicate;
}

const KINDS: Readonly<Record<TermKind, readonly [one: string, many: string]>> = {
  entity: ['entity', 'entities'],
  mediator: ['mediator', 'mediators'],
  number: ['number', 'numbers'],
  date: ['date', 'dates'],
  text: ['text', 'texts'],
};

/** "4 entities", "1 date". */
export function countWords(count: number, kind: TermKind): string {
  return `${number(count)} ${KINDS[kind][count === 1 ? 0 : 1]}`;
}

/** What a graph holds, in a sentence or two. */
export function holdsWords(graph: GraphOut): string {
  const size = `${shown(graph.title)} holds ${plural(graph.triples, 'fact')} about ${plural(graph.entities, 'entity', 'entities')}.`;
  const commonest = graph.commonest.map(({ label, context, triples }) => {
    const of = context ? ` of a ${shown(context)}` : '';
    return `${shown(label)}${of} (${number(triples)})`;
  });
  return commonest.length > 0 ? `${size} Most frequent: ${commonest.join(', ')}.` : size;
}

/** What a graph holds and where it came from. */
export function graphWords(graph: GraphOut): Entry {
  const size = `${number(graph.triples)} facts about ${number(graph.entities)} entities, with ${plural(graph.predicates, 'relation')}.`;
  const filters = graph.filters.length > 0 ? ` Of that source, only: ${shown(graph.filters.join('; '))}.` : '';
  return {
    title: shown(graph.title),
    text: [
      `${size} Source: ${shown(graph.source)}.${filters} Loaded ${dayWords(graph.loaded_at)}, version ${graph.version}.`,
      ...graph.advice,
    ].join(' '),
  };
}
