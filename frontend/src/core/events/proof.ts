/** Why an answer is one, in words. */
import type { AnswerRecord } from '../../api/types';
import { metConditions } from './conditions';
import type { RunState } from './run';
import { termWords } from '../words/words';
import { nameShown } from '../words/shown';

/** The path that proves an answer and the conditions that it met, in one line: "A ─ relation → B, because …". */
export function proofWords(whole: RunState, { path, conditions, evidence, held }: AnswerRecord): string {
  const facts = evidence?.[0]?.facts ?? path;
  const steps = facts.map(({ source, relation, target }, index) => {
    const named = nameShown(relation.label);
    const from = index === 0 ? termWords(source) : '';
    const to = target.kind === 'mediator' ? '◦' : termWords(target);
    return relation.reverse ? `${from} ← ${named} ─ ${to}` : `${from} ─ ${named} → ${to}`;
  });
  const because = metConditions(whole, [...facts, ...conditions], held ?? []);
  if (steps.length === 0) return '';
  return steps.join('').trim() + (because.length > 0 ? `, because ${because.join(' and ')}` : '');
}
