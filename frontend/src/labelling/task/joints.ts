/** The words for decisions of labels that are laid over each other. */
import { NO_NAMES, type Draft, type Names } from '../../core/labels/labelling';
import { EMPTY, type RunState } from '../../core/events/run';
import { shown } from '../../core/words/shown';
import type { Joint, Overlay } from '../../core/labels/sides';
import { plural } from '../../core/words/format';
import { KINDS, conditionName, relationName, termName } from '../words';

/** The places of an overlay as a run would have them, as far as their names need it. */
export function placesOf({ topic, steps }: Overlay, names: Names): RunState {
  const nothing = { members: 0, gained: 0, listed: 0, available: 0, weight: null };
  const root = topic === null ? undefined : names.terms.get(topic);
  const out = { kind: 'entity', name: root?.label ?? '', type: '' } as const;
  const nodes = steps.map(({ position, relation }, index) => ({
    ...nothing,
    out: {
      ...out,
      position: index + 1,
      parent: position,
      relation: names.relations.get(relation) ?? {
        id: relation,
        label: relationName(NO_NAMES, relation),
        context: '',
        reverse: relation.startsWith('^'),
      },
    },
  }));
  return { ...EMPTY, nodes: [{ ...nothing, out: { ...out, position: 0, parent: null, relation: null } }, ...nodes] };
}

/** What a decision is, in a line. */
export function jointWords(joint: Joint, run: RunState, names: Names): string {
  switch (joint.kind) {
    case 'says':
      return saysWords(joint.of, names);
    case 'topic':
      return termName(names, joint.topic);
    case 'step':
      return `${joint.step.relation.startsWith('^') ? '◂ ' : ''}${relationName(names, joint.step.relation)}`;
    case 'condition':
      return conditionName(run, names, joint.condition);
    case 'answer': {
      const relation = run.nodes[joint.place]?.out.relation;
      const place = relation ? relationName(names, relation.id) : 'the topic';
      return joint.counted ? `${place}, counted` : place;
    }
  }
}

/** What a label says beside its derivation. */
function saysWords(of: Draft, names: Names): string {
  const kind = KINDS.find((each) => each.kind === of.kind)?.name ?? of.kind;
  const more = {
    derivation: '',
    facts: plural(of.facts.length, 'fact'),
    answers: of.marked.map((id) => termName(names, id)).join(', '),
    unanswerable: of.missing ? `missing in the graph: the ${of.missing.what}` : '',
    ambiguous: plural(of.readings.length, 'reading'),
    reword: of.rewording,
    benchmark: of.benchmark ?? '',
  }[of.kind];
  return more ? `${kind}: ${shown(more)}` : kind;
}

/** What a decision is called in front of its words. */
export const JOINT_NAMES: Readonly<Record<Joint['kind'], string>> = {
  says: 'the label is',
  topic: 'about',
  step: '',
  condition: 'where',
  answer: 'answer',
};
