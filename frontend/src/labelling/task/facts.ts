/** Facts as labels keep them. */
import type { FactRecord } from '../../api/types';
import type { LabelledFact } from '../../core/labels/labelling';

/** A fact of the graph as a triple: one that was followed backwards is turned round. */
export function factOf({ source, relation, target }: FactRecord): LabelledFact {
  const [subject, object] = relation.reverse ? [target, source] : [source, target];
  return { subject: subject.id, relation: relation.id.replace(/^\^/, ''), object: object.id };
}
