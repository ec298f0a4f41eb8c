/** What an option would change, shown before anybody takes it. */
import type { OptionRecord, RelationRecord, TermKind } from '../../api/types';
import type { RunState } from './run';

/** A node of S_k that a step would add. */
export interface Ghost {
  /** The position that it would grow from. */
  readonly parent: number;
  readonly relation: RelationRecord;
  readonly kind: TermKind;
  readonly facts: number;
}

/** The node that an option would add; none where it was chosen, because then the node stands already. */
export function ghostOf(option: OptionRecord | null, chosen: number | undefined): Ghost | null {
  if (option?.kind !== 'step' || option.index === chosen) return null;
  return { parent: option.position, relation: option.relation, kind: option.leads_to, facts: option.facts };
}

/** The position of S_k that an option touches and that stands already. */
export function touchedBy(option: OptionRecord | null, chosen: number | undefined, state: RunState): number | null {
  switch (option?.kind) {
    case 'constraint':
      return option.constraint.position;
    case 'answer':
      return option.position;
    case 'step':
      return option.index === chosen ? state.nodes.length - 1 : null;
    default:
      return null;
  }
}
