/** A moment of a run as what the drawing and the table of facts show. */
import type { OptionRecord, TermRecord } from '../api/types';
import type { Placement } from '../core/placement';
import { placeOf, sourceOf, targetOf, type RunState } from '../core/run';
import { nameShown } from '../core/shown';
import { termWords } from '../core/words';
import type { FactEnd, FactRow, Scene, SceneTerm } from '../graph/scene';
import type { ShownFact } from './facts.svelte';

const ORIGIN = { x: 0, y: 0 };

/**
 * The scene of a moment.
 *
 * @param marked What is chosen or pointed at: a position ("2") or a term at one ("2:en.kitt").
 */
export function sceneOf(
  now: RunState,
  facts: readonly ShownFact[],
  { points, origins }: Placement,
  proof: ReadonlySet<number>,
  marked: string | null,
): Scene {
  const terms = new Map<string, SceneTerm>();
  const topic = now.linked?.topic;
  if (topic && now.nodes.length > 0) {
    const key = placeOf(0, topic);
    terms.set(key, {
      key,
      group: 0,
      label: termWords(topic),
      hollow: false,
      centre: true,
      origin: undefined,
      at: ORIGIN,
      removed: false,
    });
  }
  for (const { fact, removed } of facts) {
    const key = targetOf(fact);
    terms.set(key, {
      key,
      group: fact.position,
      label: termWords(fact.target),
      hollow: fact.target.kind === 'mediator',
      centre: false,
      origin: origins.get(key),
      at: points.get(key) ?? ORIGIN,
      removed: removed && (terms.get(key)?.removed ?? true),
    });
  }
  const isMarked = (key: string) => marked !== null && (key === marked || key.startsWith(`${marked}:`));
  return {
    terms: [...terms.values()],
    facts: facts.map(({ fact, removed }) => ({
      id: fact.id,
      source: sourceOf(now, fact),
      target: targetOf(fact),
      label: nameShown(fact.relation.label),
      reverse: fact.relation.reverse,
      removed,
      highlighted: proof.has(fact.id),
    })),
    marked: new Set([...terms.keys()].filter(isMarked)),
    focus: marked?.includes(':') ? marked : null,
  };
}

/** What stands out among the facts: an option that is previewed marks the node that it would grow from. */
export function markedBy(preview: OptionRecord | null, marked: string | null): string | null {
  if (preview?.kind === 'step' || preview?.kind === 'answer') return String(preview.position);
  if (preview?.kind === 'constraint') return String(preview.constraint.position);
  return marked;
}

/** The rows of a moment's table. */
export function rowsOf(now: RunState, facts: readonly ShownFact[], proof: ReadonlySet<number>): readonly FactRow[] {
  return facts.map(({ fact, removed }) => ({
    id: fact.id,
    source: endOf(now.nodes[fact.position]?.out.parent ?? 0, fact.source),
    relation: fact.relation,
    target: endOf(fact.position, fact.target),
    removed,
    highlighted: proof.has(fact.id),
    note: removed ? removedWords(now, fact.id) : proof.has(fact.id) ? 'proves the answer' : '',
  }));
}

function endOf(position: number, term: TermRecord): FactEnd {
  return {
    key: placeOf(position, term),
    group: position,
    id: term.id,
    name: term.label,
    label: termWords(term),
    hollow: term.kind === 'mediator',
  };
}

function removedWords(now: RunState, fact: number): string {
  switch (now.removed.get(fact)?.reason) {
    case 'fails':
      return 'fails the condition';
    case 'unsupported':
      return 'leads to nothing that meets it';
    case 'cut_off':
      return 'cut off from the topic';
    default:
      return 'taken out';
  }
}
