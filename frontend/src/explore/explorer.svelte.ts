/** The drawing of a user: its content, its history, and the requests to the graph. */
import { untrack } from 'svelte';

import { getBetween, getCommon, getEntity, getFactsOf, getPaths } from '../api/explorer';
import type { EntityDetailOut, RelationGroupOut } from '../api/types';
import {
  Doing,
  EMPTY,
  NO_HISTORY,
  collapse,
  done,
  drawFacts,
  followedKey,
  hangingOn,
  hiddenKind,
  hiddenRelation,
  inverse,
  isThing,
  kept,
  kindOf,
  nodeKey,
  placeFresh,
  removeNodes,
  replaceAll,
  restored,
  type Action,
  type Arrangement,
  type History,
  type KeptDrawing,
  type KindOfThing,
  type ReadFact,
  type Tables,
} from '../core/drawing/exploration';
import type { Point } from '../core/drawing/layout';
import { nameShown } from '../core/words/shown';
import { number, plural } from '../core/words/format';
import type { Sight } from '../graph/drawing';
import type { Canvas } from '../graph/FactsGraph.svelte';
import { Attempt } from '../ui/attempt.svelte';
import { Resource } from '../ui/loading/resource.svelte';
import { arrangeInWorker } from './arrangeInWorker';
import { Numbers, foldedKey, foldedKind, nodeWords, shownOf } from './scene';
import { readStoredView } from './storedView';

/** Maximum of facts of a relation that are drawn at once. */
export const PAGE = 50;
/** Maximum of relations that are followed at once, the smallest first. */
const RELATIONS_AT_ONCE = 12;
/** More nodes than this are not drawn: they could not be read, and some browsers would freeze. */
export const MOST_NODES = 10_000;
/** Maximum of entities in a request for the facts among them, and of others in it. */
const MOST_AMONG = 500;
const MOST_OTHERS = 3_000;

export class Explorer {
  readonly graph: string;
  readonly #numbers = new Numbers();
  readonly attempt = new Attempt();
  tables = $state.raw<Tables>(EMPTY);
  history = $state.raw<History>(NO_HISTORY);
  chosen = $state.raw<ReadonlySet<string>>(new Set());
  pointed = $state<string | null>(null);
  /** The facts of a way that was looked for. */
  lit = $state.raw<ReadonlySet<string>>(new Set());
  readonly card: Resource<EntityDetailOut, string>;
  canvas = $state.raw<Canvas | null>(null);
  /** What is to be in sight once the canvas is there. */
  #sight: Sight | null = null;

  readonly shown = $derived.by(() =>
    shownOf(this.tables, { chosen: this.chosen, pointed: this.pointed, lit: this.lit }, this.#numbers),
  );
  /** The one node that is chosen; null where none or several are. */
  readonly focus = $derived.by(() => {
    const [only] = this.chosen;
    return this.chosen.size === 1 && only !== undefined && foldedKind(only) === null ? only : null;
  });
  /** The things among what is chosen, as the graph knows them. */
  readonly chosenThings = $derived.by(() =>
    [...this.chosen].filter((key) => {
      const node = this.tables.nodes.get(key);
      return node !== undefined && isThing(node.term);
    }),
  );
  readonly isEmpty = $derived.by(() => this.tables.nodes.size === 0);

  constructor(graph: string) {
    this.graph = graph;
    this.card = new Resource(
      () => {
        const { focus } = this;
        const term = focus === null ? undefined : untrack(() => this.tables.nodes.get(focus))?.term;
        return term && isThing(term) ? term.id : null;
      },
      (id) => getEntity(graph, id),
      { drops: true },
    );
  }

  // --- What is done, and taken back

  #do(doing: Doing, words: string): boolean {
    const action = doing.action(words);
    if (!action) return false;
    this.#step(action);
    this.history = { done: [...this.history.done, action], undone: [] };
    return true;
  }

  #step(action: Action): void {
    this.tables = done(this.tables, action);
    const left = [...this.chosen].filter((key) => this.#isThere(key));
    if (left.length < this.chosen.size) this.chosen = new Set(left);
  }

  #isThere(key: string): boolean {
    const kind = foldedKind(key);
    return kind === null ? this.tables.nodes.has(key) : this.tables.folded.has(kind);
  }

  /** Take back what was done last. */
  undo(): void {
    const last = this.history.done.at(-1);
    if (!last) return;
    this.#step(inverse(last));
    this.history = { done: this.history.done.slice(0, -1), undone: [...this.history.undone, last] };
  }

  /** Do again what was taken back last. */
  redo(): void {
    const last = this.history.undone.at(-1);
    if (!last) return;
    this.#step(last);
    this.history = { done: [...this.history.done, last], undone: this.history.undone.slice(0, -1) };
  }

  // --- What is drawn

  /** Put a thing on the canvas and choose it. */
  put(id: string): Promise<boolean> {
    if (this.tables.nodes.has(id)) {
      this.chosen = new Set([id]);
      return Promise.resolve(true);
    }
    return this.attempt.run(async () => {
      const card = await getEntity(this.graph, id);
      const doing = new Doing(this.tables);
      doing.set('nodes', id, { term: card.term, kind: card.kinds[0] ?? null });
      placeFresh(doing, this.tables, [id]);
      this.#do(doing, `${nameShown(card.term.label)} drawn`);
      this.chosen = new Set([id]);
    });
  }

  /** Draw the next facts of the chosen thing along a relation. */
  follow(node: string, { relation }: RelationGroupOut): Promise<boolean> {
    return this.attempt.run(async () => {
      const doing = new Doing(this.tables);
      const fresh = await this.#page(doing, node, relation.id);
      this.#place(doing, fresh, `${nameShown(relation.label)} of ${nodeWords(this.tables, node)} followed`);
      return this.#roomWords();
    });
  }

  /** Draw the next facts along several relations, the smallest first. */
  followAll(node: string, groups: readonly RelationGroupOut[], words: string): Promise<boolean> {
    const open = groups.filter(({ relation }) => this.left(node, relation.id) !== 0);
    const wanted = open.toSorted((one, other) => one.facts - other.facts).slice(0, RELATIONS_AT_ONCE);
    return this.attempt.run(async () => {
      const doing = new Doing(this.tables);
      const fresh: string[] = [];
      for (const { relation } of wanted) fresh.push(...(await this.#page(doing, node, relation.id)));
      this.#place(doing, fresh, `${words} of ${nodeWords(this.tables, node)} followed`);
      const rest = open.length - wanted.length;
      return (
        this.#roomWords() ??
        (rest > 0 ? `${number(wanted.length)} of ${plural(open.length, 'relation')} followed.` : null)
      );
    });
  }

  async #page(doing: Doing, node: string, relation: string): Promise<readonly string[]> {
    if (this.tables.nodes.size >= MOST_NODES) return [];
    const key = followedKey(node, relation);
    const before = doing.get('followed', key);
    if (before?.next === null) return [];
    const page = await getFactsOf(this.graph, node, relation, PAGE, before?.next ?? null);
    doing.set('followed', key, {
      shown: (before?.shown ?? 0) + page.facts.length,
      total: page.total,
      next: page.next ?? null,
    });
    return drawFacts(doing, page.facts, page.kinds);
  }

  #place(doing: Doing, fresh: readonly string[], words: string): void {
    placeFresh(doing, this.tables, fresh);
    this.#do(doing, words);
  }

  #roomWords(): string | null {
    const { size } = this.tables.nodes;
    return size >= MOST_NODES ? `Limit: ${number(size)} entities. Remove or hide some to see more.` : null;
  }

  /** How many facts of a relation are not drawn yet; undefined if it was not followed. */
  left(node: string, relation: string): number | undefined {
    const followed = this.tables.followed.get(followedKey(node, relation));
    return followed && (followed.next === null ? 0 : followed.total - followed.shown);
  }

  /** Fold a node up: nodes that only it connects go. */
  collapse(node: string): void {
    const doing = new Doing(this.tables);
    collapse(doing, this.tables, node);
    this.#do(doing, `${nodeWords(this.tables, node)} collapsed`);
  }

  /** How many nodes folding a node up would take away. */
  hanging(node: string): number {
    return hangingOn(this.tables, node).length;
  }

  /** Take what is chosen off the canvas. */
  remove(): void {
    const keys = [...this.chosen].flatMap((key) => {
      const kind = foldedKind(key);
      return kind === null ? [key] : this.ofKind(kind);
    });
    const doing = new Doing(this.tables);
    removeNodes(doing, this.tables, keys);
    const [only] = keys;
    const what = keys.length === 1 && only !== undefined ? nodeWords(this.tables, only) : plural(keys.length, 'thing');
    this.#do(doing, `${what} removed`);
  }

  /** Take everything off the canvas. */
  clear(): void {
    const doing = new Doing(this.tables);
    removeNodes(doing, this.tables, this.tables.nodes.keys());
    for (const key of this.tables.hidden.keys()) doing.set('hidden', key, undefined);
    for (const key of this.tables.folded.keys()) doing.set('folded', key, undefined);
    this.#do(doing, 'drawing cleared');
    this.lit = new Set();
  }

  /** All nodes of a kind. */
  ofKind(kind: string): readonly string[] {
    return [...this.tables.nodes].filter(([, node]) => kindOf(node).id === kind).map(([key]) => key);
  }

  // --- How it is drawn

  /** Pin a node to a place. */
  pin(key: string, at: Point): void {
    const doing = new Doing(this.tables);
    const kind = foldedKind(key);
    if (kind !== null) {
      // Dragging a group moves all its nodes.
      this.#moveAll(doing, kind, at);
      this.#do(doing, 'moved');
      return;
    }
    doing.set('places', key, at);
    doing.set('pinned', key, true);
    this.#do(doing, `${nodeWords(this.tables, key)} pinned`);
  }

  /** Let nodes go that are pinned. */
  unpin(keys: readonly string[]): void {
    const doing = new Doing(this.tables);
    for (const key of keys) doing.set('pinned', key, undefined);
    this.#do(doing, 'unpinned');
  }

  #moveAll(doing: Doing, kind: string, at: Point): void {
    const keys = this.ofKind(kind);
    const places = keys.map((key) => this.tables.places.get(key) ?? at);
    const x = places.reduce((sum, place) => sum + place.x, 0) / Math.max(1, keys.length);
    const y = places.reduce((sum, place) => sum + place.y, 0) / Math.max(1, keys.length);
    keys.forEach((key, index) => {
      const place = places[index] ?? at;
      doing.set('places', key, { x: place.x + at.x - x, y: place.y + at.y - y });
    });
  }

  /** Pin what is chosen where it stands; let it go where all of it is pinned. */
  togglePins(): void {
    const keys = [...this.chosen].filter((key) => this.tables.nodes.has(key));
    const all = keys.every((key) => this.tables.pinned.has(key));
    if (all) return this.unpin(keys);
    const doing = new Doing(this.tables);
    for (const key of keys) doing.set('pinned', key, true);
    this.#do(doing, 'pinned');
  }

  /** Hide a kind, or show it again. */
  hideKind({ id, label }: KindOfThing, hide: boolean): void {
    const doing = new Doing(this.tables);
    doing.set('hidden', hiddenKind(id), hide ? true : undefined);
    this.#do(doing, `${nameShown(label)} ${hide ? 'hidden' : 'shown'}`);
  }

  /** Hide a relation, or show it again. */
  hideRelation(predicate: string, label: string, hide: boolean): void {
    const doing = new Doing(this.tables);
    doing.set('hidden', hiddenRelation(predicate), hide ? true : undefined);
    this.#do(doing, `${nameShown(label)} ${hide ? 'hidden' : 'shown'}`);
  }

  /** Show all that is hidden. */
  showAll(): void {
    const doing = new Doing(this.tables);
    for (const key of this.tables.hidden.keys()) doing.set('hidden', key, undefined);
    this.#do(doing, 'everything shown');
  }

  /** Draw all things of a kind as one, or each by itself again. */
  fold({ id, label }: KindOfThing, fold: boolean): void {
    const doing = new Doing(this.tables);
    doing.set('folded', id, fold ? true : undefined);
    if (!this.#do(doing, `${nameShown(label)} ${fold ? 'grouped' : 'ungrouped'}`)) return;
    this.chosen = fold ? new Set([foldedKey(id)]) : new Set(this.ofKind(id));
  }

  /** Arrange everything again; pinned nodes stay. */
  arrange(arrangement: Arrangement): Promise<boolean> {
    return this.attempt.run(async () => {
      const places = await arrangeInWorker(this.tables, arrangement);
      const doing = new Doing(this.tables);
      for (const [key, at] of places) {
        // Meanwhile the user may have removed some nodes and pinned others.
        if (this.tables.nodes.has(key) && !this.tables.pinned.has(key)) doing.set('places', key, at);
      }
      const words = { force: 'by facts', tree: 'as a tree', kinds: 'by type' }[arrangement];
      // The drawing takes the new places over first.
      if (this.#do(doing, `arranged ${words}`)) requestAnimationFrame(() => this.canvas?.fit());
    });
  }

  /** Write a note on a node, or take it away where it is empty. */
  note(key: string, text: string): void {
    const doing = new Doing(this.tables);
    doing.set('notes', key, text.trim() ? text : undefined);
    this.#do(doing, `note on ${nodeWords(this.tables, key)}`);
  }

  // --- What is chosen

  /** Choose a node, or one more; null chooses nothing. */
  choose(key: string | null, joins: boolean): void {
    if (key === null) this.chosen = new Set();
    else if (!joins) this.chosen = new Set([key]);
    else {
      const chosen = new Set(this.chosen);
      if (!chosen.delete(key)) chosen.add(key);
      this.chosen = chosen;
    }
    if (key === null) this.lit = new Set();
  }

  /** Choose all nodes of a kind. */
  chooseKind(kind: string): void {
    this.chosen = new Set(this.tables.folded.has(kind) ? [foldedKey(kind)] : this.ofKind(kind));
  }

  // --- What lies between

  /** The shortest ways between the two chosen things. */
  paths(): Promise<boolean> {
    const [source, target] = this.chosenThings;
    return this.#between(source, target, async (from, to) => {
      const { paths, kinds, reason } = await getPaths(this.graph, from, to);
      const facts = paths.flat();
      this.#drawBetween(facts, kinds, 'shortest paths drawn');
      const found =
        paths.length > 0 ? `${plural(paths.length, 'path')} of ${plural(paths[0]?.length ?? 0, 'step')}.` : '';
      return [found, reason ?? ''].filter(Boolean).join(' ');
    });
  }

  /** What the two chosen things are both joined to. */
  common(): Promise<boolean> {
    const [one, other] = this.chosenThings;
    return this.#between(one, other, async (from, to) => {
      const { facts, kinds, shown, total, reason } = await getCommon(this.graph, from, to);
      this.#drawBetween(facts, kinds, 'common neighbours drawn');
      const count = total === null ? number(shown) : `${number(shown)} of ${number(total)}`;
      return [shown > 0 ? `${count} in common.` : 'Nothing in common.', reason ?? ''].filter(Boolean).join(' ');
    });
  }

  /** The facts among what is drawn, or among what is chosen where several things are. */
  among(): Promise<boolean> {
    const things = this.chosenThings.length > 1 ? this.chosenThings : this.#drawnThings();
    const asked = things.slice(0, MOST_AMONG);
    return this.attempt.run(async () => {
      const before = this.tables.facts.size;
      const { facts, shown, total, reason } = await getBetween(
        this.graph,
        asked,
        things.slice(MOST_AMONG, MOST_AMONG + MOST_OTHERS),
      );
      this.#drawBetween(facts, {}, 'facts between these drawn');
      const more = this.tables.facts.size - before;
      const part =
        asked.length < things.length
          ? ` ${number(asked.length)} of ${plural(things.length, 'entity', 'entities')} were checked.`
          : '';
      const cut = total > shown ? ` ${number(shown)} of ${number(total)} are drawn.` : '';
      return `${more > 0 ? `${plural(more, 'fact')} more.` : 'No further facts between these.'}${cut}${part}${reason ? ` ${reason}` : ''}`;
    });
  }

  #drawnThings(): readonly string[] {
    return [...this.tables.nodes].filter(([, { term }]) => isThing(term)).map(([key]) => key);
  }

  #between(
    one: string | undefined,
    other: string | undefined,
    ask: (one: string, other: string) => Promise<string>,
  ): Promise<boolean> {
    if (one === undefined || other === undefined) return Promise.resolve(false);
    return this.attempt.run(() => ask(one, other));
  }

  /** Draw a fact and what it joins, and choose these. */
  drawFact(fact: ReadFact, kinds: Readonly<Record<string, KindOfThing | null>>): void {
    this.#drawBetween([fact], kinds, `${nameShown(fact.relation.label)} drawn`);
    this.chosen = new Set([nodeKey(fact.source, fact.target.id), nodeKey(fact.target, fact.source.id)]);
  }

  #drawBetween(facts: readonly ReadFact[], kinds: Readonly<Record<string, KindOfThing | null>>, words: string): void {
    const doing = new Doing(this.tables);
    const fresh = drawFacts(doing, facts, kinds);
    this.#place(doing, fresh, words);
    this.lit = new Set(facts.map(({ key }) => key));
  }

  // --- What is kept

  /** All of it, to be kept. */
  keep(): KeptDrawing {
    return kept(this.tables, this.chosen, this.canvas?.sight() ?? null);
  }

  /** Take over what was kept; returns whether it could be read. */
  restore(content: unknown): boolean {
    const found = restored(content);
    if (!found) return false;
    this.tables = found.tables;
    this.chosen = found.chosen;
    this.history = NO_HISTORY;
    this.#lookAt(found.sight);
    return true;
  }

  /** Draw what was kept in the place of what is drawn, which undo brings back; returns whether it could be read. */
  replace(content: unknown): boolean {
    const found = restored(content);
    if (!found) return false;
    const doing = new Doing(this.tables);
    replaceAll(doing, this.tables, found.tables);
    this.#do(doing, 'saved version opened');
    this.chosen = found.chosen;
    this.#lookAt(found.sight);
    return true;
  }

  #lookAt(sight: unknown): void {
    this.#sight = readStoredView(sight);
    this.take(this.canvas);
  }

  /** The canvas is there, or is gone. */
  take(canvas: Canvas | null): void {
    this.canvas = canvas;
    const sight = this.#sight;
    if (!canvas || !sight) return;
    this.#sight = null;
    // The drawing takes over what is shown first.
    requestAnimationFrame(() => canvas.look(sight));
  }
}
