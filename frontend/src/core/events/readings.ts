/** Readings of the rounds of a beam. Each extends an earlier reading by one decision. */
import type { ConstraintRecord, OptionRecord, SemanticNodeRecord, TermRecord } from '../../api/types';
import { READING } from '../../api/wording';

/** One way to read the question, as far as it has come. */
export interface Reading {
  /** S_k. */
  readonly nodes: readonly SemanticNodeRecord[];
  readonly constraints: readonly ConstraintRecord[];
  /** Where its answer stands; null while that is not chosen. */
  readonly position: number | null;
}

const NOTHING: Reading = { nodes: [], constraints: [], position: null };

/**
 * A reading after one decision more; the same where it decided nothing.
 *
 * @param topic What it is about where no decision of its own says so, if that is recorded.
 */
export function grown(
  before: Reading | undefined,
  option: OptionRecord | undefined,
  topic: TermRecord | null,
): Reading {
  const reading = before ?? NOTHING;
  if (!option) return reading;
  if (option.kind === 'topic') return { ...reading, nodes: [root(option.term.kind, option.term.label)] };
  const nodes =
    reading.nodes.length > 0 ? reading.nodes : [root(topic?.kind ?? 'entity', topic?.label ?? READING.told_topic)];
  switch (option.kind) {
    case 'step': {
      const { position: parent, relation, leads_to: kind } = option;
      return { ...reading, nodes: [...nodes, { position: nodes.length, kind, name: '', parent, relation }] };
    }
    case 'constraint':
      return { ...reading, nodes, constraints: [...reading.constraints, option.constraint] };
    case 'answer':
      return { ...reading, nodes, position: option.position };
    case 'none':
      return { ...reading, nodes };
  }
}

/** The nodes from the topic to the answer; all while the answer's place is not chosen. */
export function wayOf({ nodes, position }: Reading): readonly SemanticNodeRecord[] {
  if (position === null) return nodes;
  const way: SemanticNodeRecord[] = [];
  for (let at = nodes[position]; at; at = at.parent === null ? undefined : nodes[at.parent]) way.unshift(at);
  return way;
}

function root(kind: SemanticNodeRecord['kind'], name: string): SemanticNodeRecord {
  return { position: 0, kind, name, parent: null, relation: null };
}
