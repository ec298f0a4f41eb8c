/** What an option under the pointer would add to the facts that are drawn, and take out of them. */
import type { PreviewOut } from '../../api/asking/variants';
import { extend, type Point } from '../../core/drawing/layout';
import { placeOf, type RunState } from '../../core/events/run';
import { nameShown } from '../../core/words/shown';
import { termWords } from '../../core/words/words';
import type { Scene, SceneFact, SceneTerm } from '../../graph/scene';
import type { ShownFact } from '../state/facts.svelte';

/** The facts as a previewed condition would leave them; as they are where none is previewed. */
export function factsAfterCondition(
  facts: readonly ShownFact[],
  { kept_total, removed }: PreviewOut,
): readonly ShownFact[] {
  if (kept_total === null) return facts;
  const out = new Set(removed);
  return facts.map(({ fact }) => ({ fact, removed: out.has(fact.id) }));
}

/**
 * The scene with what a step from a position would add: each fact grows out of a term that is drawn; facts of terms that are not drawn
 * are left out.
 */
export function sceneWithPreview(scene: Scene, now: RunState, from: number, { facts }: PreviewOut): Scene {
  const drawn = new Set(scene.terms.map(({ key }) => key));
  const group = now.nodes.length;
  const added: { readonly fact: SceneFact; readonly term: Omit<SceneTerm, 'at'> }[] = [];
  for (const fact of facts) {
    const source = placeOf(from, fact.source);
    if (!drawn.has(source)) continue;
    const key = `ahead ${fact.target.id}`;
    added.push({
      fact: {
        id: -1 - added.length,
        source,
        target: key,
        label: nameShown(fact.relation.label),
        reverse: fact.relation.reverse,
        removed: false,
        highlighted: false,
        ahead: true,
      },
      term: {
        key,
        group,
        label: termWords(fact.target, fact.relation.unit),
        hollow: fact.target.kind === 'mediator',
        centre: false,
        origin: source,
        removed: false,
        pinned: false,
        ahead: true,
      },
    });
  }
  const points = new Map<string, Point>(scene.terms.map(({ key, at }) => [key, at]));
  const origins = new Map(scene.terms.flatMap(({ key, origin }) => (origin ? [[key, origin] as const] : [])));
  const placed = extend(
    points,
    added.map(({ term, fact }) => ({ key: term.key, source: fact.source })),
    origins,
  );
  const terms = new Map(added.map(({ term }) => [term.key, { ...term, at: placed.get(term.key) ?? { x: 0, y: 0 } }]));
  // Of a crowd, only those that would gain something stand out.
  const marked = new Set(added.map(({ fact }) => fact.source));
  return {
    ...scene,
    marked,
    terms: [...scene.terms, ...terms.values()],
    facts: [...scene.facts, ...added.map(({ fact }) => fact)],
    extent: [...scene.extent, ...[...terms.values()].map(({ at }) => at)],
  };
}
