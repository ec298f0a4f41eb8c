/** A moment of a run as what the drawing and the table of facts show. */
import type { OptionRecord, TermRecord } from '../../api/types';
import { joinedBy, joiningWords, type Joined } from '../../core/drawing/mediators';
import type { Placement } from '../../core/drawing/placement';
import { placeOf, sourceOf, targetOf, type RunState } from '../../core/events/run';
import { nameShown } from '../../core/words/shown';
import { nodeLabel, termWords } from '../../core/words/words';
import { TAKEN_OUT } from '../../core/drawing/view';
import type { Point } from '../../core/drawing/layout';
import type { FactEnd, FactRow, LegendEntry, Scene, SceneFact, SceneTerm } from '../../graph/scene';
import type { ShownFact } from '../state/facts.svelte';
import type { Side } from '../state/selection.svelte';

const ORIGIN = { x: 0, y: 0 };
/** The note of a fact that leads to a marked answer. */
const MARKED = 'leads to a marked answer';
const NO_FACTS: ReadonlySet<number> = new Set();
const NO_TERMS: ReadonlySet<string> = new Set();

/**
 * The scene of a moment.
 *
 * @param marked What is chosen or pointed at: a position ("2") or a term at one ("2:en.kitt").
 * @param pins Positions that a user gave to terms.
 * @param gold The ids of the terms that a user marked as answers.
 */
export function sceneOf(
  now: RunState,
  facts: readonly ShownFact[],
  { points, origins }: Placement,
  proof: ReadonlySet<number>,
  marked: string | null,
  pins: ReadonlyMap<string, Point>,
  gold: ReadonlySet<string> = NO_TERMS,
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
      at: pins.get(key) ?? ORIGIN,
      removed: false,
      pinned: pins.has(key),
    });
  }
  for (const { fact, removed } of facts) {
    const key = targetOf(fact);
    terms.set(key, {
      key,
      group: fact.position,
      label: termWords(fact.target, fact.relation.unit),
      hollow: fact.target.kind === 'mediator',
      centre: false,
      origin: origins.get(key),
      at: pins.get(key) ?? points.get(key) ?? ORIGIN,
      removed: removed && (terms.get(key)?.removed ?? true),
      pinned: pins.has(key),
    });
  }
  const isMarked = (key: string) => marked !== null && (key === marked || key.startsWith(`${marked}:`));
  const drawn = facts.map(({ fact, removed }) => ({
    id: fact.id,
    source: sourceOf(now, fact),
    target: targetOf(fact),
    label: nameShown(fact.relation.label),
    reverse: fact.relation.reverse,
    removed,
    highlighted: proof.has(fact.id),
  }));
  const focus = marked?.includes(':') ? marked : null;
  return {
    terms: [...terms.values()],
    facts: drawn,
    marked: new Set([...terms.keys()].filter(isMarked)),
    gold: goldIn(now, facts, gold),
    focus,
    path: focus === null ? NO_FACTS : pathTo(drawn, focus, terms.get(focus)?.removed ?? false),
    extent: [...terms.values()].map(({ at }) => at),
  };
}

/** The nodes of the terms that a user marked as answers. */
function goldIn(now: RunState, facts: readonly ShownFact[], gold: ReadonlySet<string>): ReadonlySet<string> {
  if (gold.size === 0) return NO_TERMS;
  const found = facts.filter(({ fact }) => gold.has(fact.target.id)).map(({ fact }) => targetOf(fact));
  const topic = now.linked?.topic;
  return new Set(topic && gold.has(topic.id) && now.nodes.length > 0 ? [placeOf(0, topic), ...found] : found);
}

/** The facts that lead to a term, from the topic on; what was taken out leads nowhere, but to what was taken out itself. */
function pathTo(facts: readonly SceneFact[], term: string, alsoRemoved: boolean): ReadonlySet<number> {
  const leading = new Map<string, SceneFact[]>();
  for (const fact of facts) {
    if (fact.removed && !alsoRemoved) continue;
    const others = leading.get(fact.target);
    if (others) others.push(fact);
    else leading.set(fact.target, [fact]);
  }
  const path = new Set<number>();
  const waiting = [term];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const { id, source } of leading.get(at) ?? []) {
      if (path.has(id)) continue;
      path.add(id);
      waiting.push(source);
    }
  }
  return path;
}

/** The scene without what the user hid. */
export function withoutHidden(scene: Scene, hidden: ReadonlySet<string>): Scene {
  if (hidden.size === 0) return scene;
  const terms = scene.terms.filter(
    ({ group, removed }) => !hidden.has(String(group)) && !(removed && hidden.has(TAKEN_OUT)),
  );
  const left = new Set(terms.map(({ key }) => key));
  return {
    ...scene,
    terms,
    facts: scene.facts.filter(
      ({ source, target, removed }) => left.has(source) && left.has(target) && !(removed && hidden.has(TAKEN_OUT)),
    ),
    marked: new Set([...scene.marked].filter((key) => left.has(key))),
    gold: new Set([...scene.gold].filter((key) => left.has(key))),
  };
}

/** The scene with the colours of those who alone have facts, where several derivations are laid over each other. */
export function withSides(scene: Scene, sides: ReadonlyMap<number, Side>): Scene {
  if (sides.size === 0) return scene;
  const groups = new Map(scene.terms.map(({ key, group }) => [key, group]));
  const facts = scene.facts.map((fact) => {
    const side = sides.get(groups.get(fact.target) ?? -1);
    return side ? { ...fact, side: side.colour } : fact;
  });
  return { ...scene, facts };
}

/** The legend with who alone has an entry. */
export function withWhose(legend: readonly LegendEntry[], sides: ReadonlyMap<number, Side>): readonly LegendEntry[] {
  return legend.map((entry) => {
    const side = entry.group === null ? undefined : sides.get(entry.group);
    return side ? { ...entry, label: `${entry.label} (${side.words})` } : entry;
  });
}

/** The rows of the table without what the user hid. */
export function rowsWithoutHidden(rows: readonly FactRow[], hidden: ReadonlySet<string>): readonly FactRow[] {
  if (hidden.size === 0) return rows;
  return rows.filter(
    ({ source, target, removed }) =>
      !hidden.has(String(source.group)) && !hidden.has(String(target.group)) && !(removed && hidden.has(TAKEN_OUT)),
  );
}

/** What there is to see and how much of it: the nodes of S_k, and the facts that conditions took out. */
export function legendOf(now: RunState, scene: Scene, hidden: ReadonlySet<string>): readonly LegendEntry[] {
  const counts = new Map<number, number>();
  for (const { group } of scene.terms) counts.set(group, (counts.get(group) ?? 0) + 1);
  const out = scene.facts.reduce((count, { removed }) => count + (removed ? 1 : 0), 0);
  const groups = now.nodes.map(({ out: { position, kind } }): LegendEntry => ({
    key: String(position),
    label: nodeLabel(now, position),
    count: counts.get(position) ?? 0,
    group: position,
    hollow: kind === 'mediator',
    hidden: hidden.has(String(position)),
  }));
  if (out === 0) return groups;
  const label = 'removed';
  return [...groups, { key: TAKEN_OUT, label, count: out, group: null, hollow: false, hidden: hidden.has(TAKEN_OUT) }];
}

/** What stands out among the facts: an option that is previewed marks the node that it would grow from. */
export function markedBy(preview: OptionRecord | null, marked: string | null): string | null {
  if (preview?.kind === 'step' || preview?.kind === 'answer') return String(preview.position);
  if (preview?.kind === 'constraint') return String(preview.constraint.position);
  return marked;
}

/** The rows of a moment's table: those that prove the answer first. What a mediator joins describes it. */
export function rowsOf(
  now: RunState,
  facts: readonly ShownFact[],
  proof: ReadonlySet<number>,
  gold: ReadonlySet<string> = NO_TERMS,
): readonly FactRow[] {
  const joined = joinedIn(now, facts);
  const rows = facts.map(({ fact, removed }): FactRow => ({
    id: fact.id,
    source: endOf(now.nodes[fact.position]?.out.parent ?? 0, fact.source, joined),
    relation: fact.relation,
    target: endOf(fact.position, fact.target, joined, fact.relation.unit),
    removed,
    highlighted: proof.has(fact.id),
    note: [noteOf(now, fact.id, removed, proof), gold.has(fact.target.id) ? MARKED : ''].filter(Boolean).join('; '),
  }));
  return [...rows.filter(({ highlighted }) => highlighted), ...rows.filter(({ highlighted }) => !highlighted)];
}

/** What each mediator joins: the names at its other ends, of what it leads to, or else of what led to it. */
function joinedIn(now: RunState, facts: readonly ShownFact[]): Joined {
  const led: [string, string][] = [];
  const leading: [string, string][] = [];
  for (const { fact } of facts) {
    if (fact.source.kind === 'mediator' && fact.target.kind !== 'mediator') {
      led.push([sourceOf(now, fact), termWords(fact.target, fact.relation.unit)]);
    }
    if (fact.target.kind === 'mediator' && fact.source.kind !== 'mediator') {
      leading.push([targetOf(fact), termWords(fact.source)]);
    }
  }
  return new Map([...joinedBy(leading), ...joinedBy(led)]);
}

/** Why a fact was taken out, or that it proves the answer. */
export function noteOf(now: RunState, fact: number, removed: boolean, proof: ReadonlySet<number>): string {
  return removed ? removedWords(now, fact) : proof.has(fact) ? 'proves the answer' : '';
}

function endOf(position: number, term: TermRecord, joined: Joined, unit?: string | null): FactEnd {
  const key = placeOf(position, term);
  const label = joiningWords(joined, key, term, unit);
  return { key, group: position, id: term.id, name: term.label, label, hollow: term.kind === 'mediator' };
}

function removedWords(now: RunState, fact: number): string {
  switch (now.removed.get(fact)?.reason) {
    case 'fails':
      return 'fails the condition';
    case 'unsupported':
      return 'leads to no entity that meets it';
    case 'cut_off':
      return 'disconnected from the topic';
    default:
      return 'removed';
  }
}
