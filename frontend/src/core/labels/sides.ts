/**
 * Labels of one question laid over each other: which decisions are in which of them, whatever numbers their places bear,
 * and what is accepted of each.
 */
import { removed, same, type Condition, type Draft } from './labelling';

/** A decision that one label has or several, with the place that it has where all are laid over each other. */
export type Joint =
  | { readonly kind: 'says'; readonly of: Draft; readonly by: ReadonlySet<number> }
  | { readonly kind: 'topic'; readonly topic: string; readonly of: Draft; readonly by: ReadonlySet<number> }
  | { readonly kind: 'step'; readonly step: Step; readonly place: number; readonly by: ReadonlySet<number> }
  | { readonly kind: 'condition'; readonly condition: Condition; readonly by: ReadonlySet<number> }
  | { readonly kind: 'answer'; readonly place: number; readonly counted: boolean; readonly by: ReadonlySet<number> };

type Step = Draft['steps'][number];

/** Labels over each other. Those with another topic than what is accepted share no places with it: only their topic. */
export interface Overlay {
  readonly topic: string | null;
  /** All steps of all labels with that topic, as one draft would hold them. */
  readonly steps: readonly Step[];
  /** The decisions: what the labels say, their topics, then steps, conditions and places of the answer. */
  readonly joints: readonly Joint[];
  /** By side, the place over each other of each place of its own. */
  readonly places: readonly ReadonlyMap<number, number>[];
}

/** What a label says beside its derivation. */
const SAYS = ['kind', 'marked', 'facts', 'missing', 'readings', 'rewording', 'benchmark'] as const;
/** A label with these fields besides is not the same for being marked: what it derives stands for itself. */
const DERIVED = ['topic', 'steps', 'steps_ended', 'conditions', 'conditions_ended', 'answer', 'counted'] as const;

const pick = (draft: Draft, fields: readonly (keyof Draft)[]): Partial<Draft> =>
  Object.fromEntries(fields.map((field) => [field, draft[field]]));

/** What a label says, as far as it is compared: marks of a derivation only test it. */
function saysOf(draft: Draft): Partial<Draft> {
  return draft.kind === 'derivation' ? { kind: draft.kind } : pick(draft, SAYS);
}

/** Lay labels over each other; what is accepted so far comes last among `drafts`. */
export function overlayOf(drafts: readonly Draft[]): Overlay {
  const topic = drafts.at(-1)?.topic ?? drafts.find((draft) => draft.topic !== null)?.topic ?? null;
  const steps: Step[] = [];
  const places = drafts.map((draft) => {
    const own = new Map<number, number>(draft.topic === topic && topic !== null ? [[0, 0]] : []);
    const used = new Set<number>();
    for (const [number, step] of draft.steps.entries()) {
      const parent = own.get(step.position);
      if (parent === undefined) continue;
      const known = steps.findIndex(
        (each, at) => each.position === parent && each.relation === step.relation && !used.has(at),
      );
      const at = known >= 0 ? known : steps.push({ ...step, position: parent }) - 1;
      used.add(at);
      own.set(number + 1, at + 1);
    }
    return own;
  });
  const having = (holds: (draft: Draft, own: ReadonlyMap<number, number>) => boolean) =>
    new Set(drafts.flatMap((draft, side) => (holds(draft, places[side] ?? new Map()) ? [side] : [])));
  const joints: Joint[] = [];
  for (const of of drafts) {
    if (joints.some((each) => each.kind === 'says' && same(saysOf(each.of), saysOf(of)))) continue;
    joints.push({ kind: 'says', of, by: having((draft) => same(saysOf(draft), saysOf(of))) });
  }
  for (const of of drafts) {
    const wanted = of.topic;
    if (wanted === null || joints.some((each) => each.kind === 'topic' && each.topic === wanted)) continue;
    joints.push({ kind: 'topic', topic: wanted, of, by: having((draft) => draft.topic === wanted) });
  }
  for (const [at, step] of steps.entries()) {
    const place = at + 1;
    joints.push({ kind: 'step', step, place, by: having((_, own) => [...own.values()].includes(place)) });
  }
  for (const [side, draft] of drafts.entries()) {
    for (const each of draft.conditions) {
      const position = places[side]?.get(each.position);
      if (position === undefined) continue;
      const condition = { ...each, position };
      if (joints.some((joint) => joint.kind === 'condition' && same(joint.condition, condition))) continue;
      joints.push({
        kind: 'condition',
        condition,
        by: having((other, own) => other.conditions.some((one) => same(placed(one, own), condition))),
      });
    }
  }
  for (const [side, draft] of drafts.entries()) {
    const place = draft.answer === null ? undefined : places[side]?.get(draft.answer);
    const { counted } = draft;
    const known = (each: Joint) => each.kind === 'answer' && each.place === place && each.counted === counted;
    if (place === undefined || joints.some(known)) continue;
    joints.push({
      kind: 'answer',
      place,
      counted,
      by: having((other, own) => other.answer !== null && own.get(other.answer) === place && other.counted === counted),
    });
  }
  return { topic, steps, joints, places };
}

function placed(condition: Condition, own: ReadonlyMap<number, number>): Condition | null {
  const position = own.get(condition.position);
  return position === undefined ? null : { ...condition, position };
}

/** Whether all sides have a decision; what is accepted, which comes last, does not count. */
export function isAgreed({ by }: Joint, sides: number): boolean {
  return [...by].filter((side) => side < sides).length === sides;
}

/** The one side that has a decision alone; null where several have it, or none but what is accepted. */
export function soleSide({ by }: Joint, sides: number): number | null {
  const [first, ...others] = [...by].filter((side) => side < sides);
  return first !== undefined && others.length === 0 ? first : null;
}

/** What taking a label whole changes of what is accepted. */
export function takenWhole(side: Draft): Partial<Draft> {
  return pick(side, [...SAYS, ...DERIVED]);
}

/**
 * What is changed so that a decision is accepted, or is not. With a step come those that lead to it; what grew from one
 * that goes, goes too. A topic brings all that its label derives, as other places mean other things.
 */
export function withJoint(mine: Draft, overlay: Overlay, joint: Joint, wanted: boolean): Partial<Draft> {
  const own = new Map([...(overlay.places.at(-1) ?? [])].map(([at, place]) => [place, at]));
  switch (joint.kind) {
    case 'says':
      return wanted ? pick(joint.of, SAYS) : {};
    case 'topic':
      return wanted && mine.topic !== joint.topic ? pick(joint.of, DERIVED) : {};
    case 'step': {
      const at = own.get(joint.place);
      if (wanted) return at === undefined ? { steps: withPlace(mine.steps, overlay, own, joint.place) } : {};
      return at === undefined
        ? {}
        : { ...removed(mine, { kind: 'step', number: at - 1 }), steps_ended: mine.steps_ended };
    }
    case 'condition': {
      const steps = wanted ? withPlace(mine.steps, overlay, own, joint.condition.position) : mine.steps;
      const position = own.get(joint.condition.position);
      const condition = position === undefined ? null : { ...joint.condition, position };
      const others = mine.conditions.filter((each) => !same(each, condition));
      return wanted && condition ? { steps, conditions: [...others, condition] } : { conditions: others };
    }
    case 'answer': {
      const steps = wanted ? withPlace(mine.steps, overlay, own, joint.place) : mine.steps;
      return wanted ? { steps, answer: own.get(joint.place) ?? null, counted: joint.counted } : {};
    }
  }
}

/** The steps and those that lead to a semantic node; the positions are in `own` afterwards. */
function withPlace(steps: readonly Step[], overlay: Overlay, own: Map<number, number>, place: number): Step[] {
  if (own.has(place)) return [...steps];
  const step = overlay.steps[place - 1];
  if (!step) return [...steps];
  const before = withPlace(steps, overlay, own, step.position);
  own.set(place, before.length + 1);
  return [...before, { ...step, position: own.get(step.position) ?? 0 }];
}
