/** Conditions in words. Two that bound one period are joined. */
import type { ConstraintRecord, FactRecord, HeldRecord, TermRecord } from '../../api/types';
import { HELD_TIMES, PERIODS, PERIOD_ENDS } from '../../api/wording';
import { filled } from '../words/filled';
import type { RunState } from './run';
import { comparisonWords, conditionWords, nodeLabel, termWords } from '../words/words';

/** Conditions in the order in which they were chosen, each in words; two that bound one time or number are one. */
export function joinedConditions(state: RunState, constraints: readonly ConstraintRecord[]): readonly string[] {
  return joined(state, constraints).map(([one, other]) =>
    other ? asOne(state, one, other) : conditionWords(state, one),
  );
}

/** The conditions of a run with what met them among the facts of a proof: "character is KITT", "it held from …". */
export function metConditions(
  state: RunState,
  facts: readonly FactRecord[],
  held: readonly HeldRecord[] = [],
): readonly string[] {
  const at = (wanted: number) => facts.find(({ position }) => position === wanted)?.target;
  return joined(state, state.constraints).map(([one, other]) => {
    const [start, end] = [at(one.position), other && at(other.position)];
    const time = held.find(({ constraint }) => state.constraints[constraint - 1] === one);
    if (!other) return `${nodeLabel(state, one.position)} ${comparedWith(state, one, start, time)}`;
    if (one.position === other.position || !start || !end) return asOne(state, one, other);
    return filled(PERIODS.met, { start: termWords(start), end: termWords(end) });
  });
}

/** "the latest" alone says little: with the value that it met, it does. */
function comparedWith(
  state: RunState,
  constraint: ConstraintRecord,
  met: TermRecord | undefined,
  time: HeldRecord | undefined,
): string {
  const words = comparisonWords(state, constraint);
  // What held is a link without a name: its dates say more.
  if (constraint.operator === 'holds') return time ? `${words} (${heldTimes(time)})` : words;
  if (constraint.target?.kind === 'entity' && constraint.operator === '=') return words;
  // The type of the answer is mentioned elsewhere.
  if (constraint.operator === 'kind' && constraint.position === state.answerPosition) return words;
  if (!met || met.id === constraint.target?.id) return words;
  return `${words} (${termWords(met, state.nodes[constraint.position]?.out.relation?.unit)})`;
}

/** When something held, as far as the graph says: "from 1961 to 1963", "since 1961". */
export function heldTimes({ begins, ends }: HeldRecord): string {
  const times = begins.length > 0 ? (ends.length > 0 ? 'both' : 'begins') : ends.length > 0 ? 'ends' : 'neither';
  const listed = (dates: readonly TermRecord[]) => dates.map((date) => termWords(date)).join(', ');
  return filled(HELD_TIMES[times], { begins: listed(begins), ends: listed(ends) });
}

type Pair = readonly [ConstraintRecord, ConstraintRecord?];

/** The conditions one by one, and in pairs where two say one thing: the one that comes first in time before the other. */
function joined(state: RunState, constraints: readonly ConstraintRecord[]): readonly Pair[] {
  const left = [...constraints];
  const pairs: Pair[] = [];
  for (let one = left.shift(); one; one = left.shift()) {
    const first = one;
    const place = left.findIndex((other) => asOne(state, first, other) || asOne(state, other, first));
    const [other] = place < 0 ? [] : left.splice(place, 1);
    if (!other) pairs.push([first]);
    else pairs.push(asOne(state, first, other) ? [first, other] : [other, first]);
  }
  return pairs;
}

/** What two conditions say together; empty for nothing. */
function asOne(state: RunState, one: ConstraintRecord, other: ConstraintRecord): string {
  if (!one.target || !other.target) return '';
  if (one.position === other.position) {
    if (one.operator !== '>=' || other.operator !== '<=') return '';
    const unit = state.nodes[one.position]?.out.relation?.unit;
    const start = termWords(one.target);
    return filled(PERIODS.bounds, { node: nodeLabel(state, one.position), start, end: termWords(other.target, unit) });
  }
  const parent = (position: number) => state.nodes[position]?.out.parent;
  const around = BEGINS.includes(one.operator) && ENDS.includes(other.operator) && one.target.id === other.target.id;
  const isPeriod = isEnd(state, one, PERIOD_ENDS.start) && isEnd(state, other, PERIOD_ENDS.end);
  if (!around || !isPeriod || parent(one.position) !== parent(other.position)) return '';
  return filled(PERIODS.asked, { target: termWords(one.target) });
}

const BEGINS: readonly ConstraintRecord['operator'][] = ['<=', '<'];
const ENDS: readonly ConstraintRecord['operator'][] = ['>=', '>'];

function isEnd(state: RunState, { position }: ConstraintRecord, words: readonly string[]): boolean {
  return nodeLabel(state, position)
    .toLowerCase()
    .split(/\s+/)
    .some((word) => words.includes(word));
}
