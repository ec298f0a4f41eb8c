/** A drawing of a graph as what the canvas, the legend and the table of facts show. */
import type { EntityDetailOut } from '../api/types';
import { hiddenKind, hiddenRelation, kindOf, type DrawnNode, type Tables } from '../core/drawing/exploration';
import type { Point } from '../core/drawing/layout';
import { joinedBy, joiningWords, type Joined } from '../core/drawing/mediators';
import { nameShown, shown } from '../core/words/shown';
import { number } from '../core/words/format';
import { termWords } from '../core/words/words';
import type { FactEnd, FactRow, LegendEntry, Scene, SceneFact, SceneTerm } from '../graph/scene';
import { kindLabels } from '../core/words/kinds';

/** Beside so few others, a node that grew from nothing stands out. */
const FEW = 26;
const ORIGIN: Point = { x: 0, y: 0 };
const NO_PATH: ReadonlySet<number> = new Set();
const NO_GOLD: ReadonlySet<string> = new Set();
/** What the key of all nodes of a folded kind begins with; no node has such a key. */
const FOLDED = '\n';

/** What is chosen and pointed at. */
export interface Looking {
  readonly chosen: ReadonlySet<string>;
  readonly pointed: string | null;
  /** The facts of a way that was looked for. */
  readonly lit: ReadonlySet<string>;
}

/** Everything that is shown of a drawing. */
export interface Shown {
  readonly scene: Scene;
  readonly rows: readonly FactRow[];
  readonly legend: readonly LegendEntry[];
  readonly hiddenFacts: number;
  readonly hiddenNodes: number;
}

/** Numbers of facts: a fact has the same one as long as the page is open, as the drawing asks for. */
export class Numbers {
  readonly #known = new Map<string, number>();

  of(key: string): number {
    const known = this.#known.get(key) ?? this.#known.size;
    this.#known.set(key, known);
    return known;
  }
}

/** The kinds of a drawing, in the order in which they came. */
export function kindsOf(tables: Tables): ReadonlyMap<string, number> {
  const groups = new Map<string, number>();
  for (const node of tables.nodes.values()) {
    const { id } = kindOf(node);
    if (!groups.has(id)) groups.set(id, groups.size);
  }
  return groups;
}

/** The key of what stands for all nodes of a folded kind. */
export const foldedKey = (kind: string): string => `${FOLDED}${kind}`;

/** The folded kind that a key stands for; null where it is that of a node. */
export const foldedKind = (key: string): string | null => (key.startsWith(FOLDED) ? key.slice(FOLDED.length) : null);

/** All that is shown of a drawing at a moment. */
export function shownOf(tables: Tables, { chosen, pointed, lit }: Looking, numbers: Numbers): Shown {
  const groups = kindsOf(tables);
  const groupOf = (node: DrawnNode) => groups.get(kindOf(node).id) ?? 0;
  const visible = new Map<string, DrawnNode>();
  const counts = new Map<string, number>();
  const labels = kindLabels(
    new Map([...tables.nodes.values()].map((node) => [kindOf(node).id, kindOf(node)])).values(),
  );
  for (const [key, node] of tables.nodes) {
    const { id } = kindOf(node);
    counts.set(id, (counts.get(id) ?? 0) + 1);
    if (!tables.hidden.has(hiddenKind(id))) visible.set(key, node);
  }
  const standing = (key: string): string => {
    const node = visible.get(key);
    if (!node) return key;
    const { id } = kindOf(node);
    return tables.folded.has(id) ? foldedKey(id) : key;
  };
  const facts: SceneFact[] = [];
  const rows: FactRow[] = [];
  const joined = joinedIn(tables);
  const merged = new Set<string>();
  for (const [key, fact] of tables.facts) {
    const { source, relation, target } = fact;
    const [from, to] = [visible.get(source), visible.get(target)];
    if (!from || !to || tables.hidden.has(hiddenRelation(relation.id))) continue;
    rows.push({
      id: numbers.of(key),
      source: endOf(source, from, groupOf(from), joined),
      relation,
      target: endOf(target, to, groupOf(to), joined, relation.unit),
      removed: false,
      highlighted: lit.has(key),
      note: [tables.notes.get(source), tables.notes.get(target)].filter(Boolean).join('; '),
    });
    const [one, other] = [standing(source), standing(target)];
    const drawnKey = one === source && other === target ? key : `${one} ${relation.id} ${other}`;
    if (one === other && one.startsWith(FOLDED)) continue;
    if (merged.has(drawnKey)) continue;
    merged.add(drawnKey);
    facts.push({
      id: numbers.of(drawnKey),
      source: one,
      target: other,
      label: nameShown(relation.label),
      reverse: false,
      removed: false,
      highlighted: lit.has(key),
    });
  }
  const terms = termsOf(tables, visible, groupOf, counts, labels);
  const keys = new Set(terms.map(({ key }) => key));
  const marked = new Set(
    [...chosen, ...(pointed === null ? [] : [pointed])].map(standing).filter((key) => keys.has(key)),
  );
  const [only] = marked;
  return {
    scene: {
      terms,
      facts,
      marked,
      gold: NO_GOLD,
      focus: marked.size === 1 && only !== undefined ? only : null,
      // Between several chosen things a way that was found stands out; around a single one its own facts do.
      path: marked.size > 1 ? new Set([...lit].map((key) => numbers.of(key))) : NO_PATH,
      extent: [...tables.places.values()],
    },
    rows,
    legend: [...groups].map(([kind, group]): LegendEntry => ({
      key: kind,
      label: labels.get(kind) ?? '',
      count: counts.get(kind) ?? 0,
      group,
      hollow: false,
      hidden: tables.hidden.has(hiddenKind(kind)),
    })),
    hiddenFacts: tables.facts.size - rows.length,
    hiddenNodes: tables.nodes.size - visible.size,
  };
}

function termsOf(
  tables: Tables,
  visible: ReadonlyMap<string, DrawnNode>,
  groupOf: (node: DrawnNode) => number,
  counts: ReadonlyMap<string, number>,
  labels: ReadonlyMap<string, string>,
): readonly SceneTerm[] {
  const terms: SceneTerm[] = [];
  // What others grew from, and what stands there beside few others, is drawn large.
  const large = new Set(visible.size > FEW ? tables.origins.values() : visible.keys());
  const heaps = new Map<string, Point[]>();
  for (const [key, node] of visible) {
    const { id } = kindOf(node);
    const at = tables.places.get(key) ?? ORIGIN;
    if (tables.folded.has(id)) {
      const heap = heaps.get(id);
      if (heap) heap.push(at);
      else heaps.set(id, [at]);
      continue;
    }
    const origin = tables.origins.get(key);
    terms.push({
      key,
      group: groupOf(node),
      label: tables.notes.has(key) ? `${termWords(node.term)} ✎` : termWords(node.term),
      hollow: node.term.kind === 'mediator',
      centre: origin === undefined && large.has(key),
      origin,
      at,
      removed: false,
      pinned: tables.pinned.has(key),
    });
  }
  const groups = kindsOf(tables);
  for (const [kind, heap] of heaps) {
    const sum = heap.reduce((total, { x, y }) => ({ x: total.x + x, y: total.y + y }), ORIGIN);
    terms.push({
      key: foldedKey(kind),
      group: groups.get(kind) ?? 0,
      label: `${labels.get(kind) ?? ''}: ${number(counts.get(kind) ?? 0)}`,
      hollow: false,
      centre: true,
      origin: undefined,
      at: { x: sum.x / heap.length, y: sum.y / heap.length },
      removed: false,
      pinned: false,
    });
  }
  return terms;
}

const joinedOf = new WeakMap<Tables, Joined>();

/** What each mediator of a drawing joins: the names of what is drawn beside it, of what it leads to first. */
function joinedIn(tables: Tables): Joined {
  const known = joinedOf.get(tables);
  if (known) return known;
  const led: [string, string][] = [];
  const leading: [string, string][] = [];
  for (const { source, relation, target } of tables.facts.values()) {
    const [from, to] = [tables.nodes.get(source)?.term, tables.nodes.get(target)?.term];
    if (!from || !to) continue;
    if (from.kind === 'mediator' && to.kind !== 'mediator') led.push([source, termWords(to, relation.unit)]);
    if (to.kind === 'mediator' && from.kind !== 'mediator') leading.push([target, termWords(from)]);
  }
  const joined = joinedBy([...led, ...leading]);
  joinedOf.set(tables, joined);
  return joined;
}

function endOf(key: string, { term }: DrawnNode, group: number, joined: Joined, unit?: string | null): FactEnd {
  const label = joiningWords(joined, key, term, unit);
  return { key, group, id: term.id, name: term.label, label, hollow: term.kind === 'mediator' };
}

/** What a node is called in a sentence: a mediator by what it joins, else by its kind, else by what its facts are of. */
export function nodeWords(tables: Tables, key: string, card: EntityDetailOut | null = null): string {
  const node = tables.nodes.get(key);
  if (!node) return shown(key);
  if (node.term.kind !== 'mediator') return termWords(node.term);
  const names = joinedIn(tables).get(key);
  return names
    ? `mediator between ${names.join(', ')}`
    : nameShown(node.kind?.label ?? contextOf(card) ?? 'a mediator');
}

/** What the relations of a thing belong to: "TV appearance". */
function contextOf(card: EntityDetailOut | null): string | undefined {
  return card?.groups.find(({ relation }) => !relation.reverse && relation.context)?.relation.context;
}
