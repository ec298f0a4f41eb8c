/** What the drawing of S_k says of a node: beneath it, above it, and to those who listen. */
import type { ConstraintRecord, OptionRecord, TermRecord } from '../../api/types';
import { letterOf } from './palette';
import { membersOf, type NodeState, type RunState } from '../events/run';
import { shown } from '../words/shown';
import { number } from '../words/format';
import { conditionSigns, conditionWords, countWords, nodeLabel, termWords } from '../words/words';

/** Maximum of names under a node; there is room for no more. */
const NAMES = 8;

/** The two lines beneath a node: what it holds. */
export function nodeLines(state: RunState, { out, members, gained, listed }: NodeState): readonly [string, string] {
  if (out.position === 0) return [nodeLabel(state, 0), shown(state.linked?.topic_hint ?? '')];
  const { kept, removed } = membersOf(state, out.position);
  const complete = listed === gained;
  const only = kept.length === 1 && complete && out.kind !== 'mediator' ? kept[0] : undefined;
  const words = (term: TermRecord) => termWords(term, out.relation?.unit);
  const names = out.kind === 'mediator' ? '' : kept.slice(0, NAMES).map(words).join(', ');
  if (removed.length === 0) return only ? [words(only), ''] : [countWords(members, out.kind), names];
  const share = complete ? `${number(kept.length)} of ${number(members)} left` : `of ${number(members)}`;
  if (kept.length === 0 && complete) return ['nothing left', share];
  if (only) return [words(only), share];
  return [names || share, out.kind === 'mediator' ? '' : share];
}

/** The conditions on a node, with the one that a previewed option would add. */
export function conditionsAt(
  state: RunState,
  position: number,
  preview: OptionRecord | null,
): readonly ConstraintRecord[] {
  const held = state.constraints.filter((constraint) => constraint.position === position);
  if (preview?.kind !== 'constraint' || preview.constraint.position !== position) return held;
  return held.some((constraint) => conditionSigns(constraint) === conditionSigns(preview.constraint))
    ? held
    : [...held, preview.constraint];
}

/** Whether pruning took out every listed term of a node. */
export function isEmptied(state: RunState, position: number): boolean {
  const { kept, removed } = membersOf(state, position);
  return kept.length === 0 && removed.length > 0;
}

/** A node in a sentence, for those who listen. */
export function nodeDescription(state: RunState, node: NodeState): string {
  const { position, kind, relation, parent } = node.out;
  return [
    `${letterOf(position)}: ${nodeLabel(state, position)}`,
    relation && parent !== null
      ? `${relation.reverse ? 'backwards ' : ''}from ${letterOf(parent)}, ${countWords(node.members, kind)}`
      : 'the search starts here',
    position === 0 ? '' : nodeLines(state, node).filter(Boolean).join(', '),
    ...conditionsAt(state, position, null).map((constraint) => `condition: ${conditionWords(state, constraint)}`),
    state.answerPosition === position ? 'holds the answer' : '',
  ]
    .filter(Boolean)
    .join('; ');
}
