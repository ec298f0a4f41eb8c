/**
 * A user's drawing of a graph, and everything that can be done with it.
 *
 * A drawing is a few tables. An action is a list of entries that it sets, each with what stood there before; its inverse
 * sets that again. So nothing is undone by code of its own.
 */
import { extend, type Arrival, type Point } from './layout';
import type { RelationRecord, TermRecord } from '../../api/types';

/** What something is: a type of the graph's schema. */
export interface KindOfThing {
  readonly id: string;
  readonly label: string;
}

/** A node: an entity, or a value of one entity. */
export interface DrawnNode {
  readonly term: TermRecord;
  /** Null if the graph has none. */
  readonly kind: KindOfThing | null;
}

/** A fact the way round that the graph holds it, between the keys of two nodes. */
export interface DrawnFact {
  readonly source: string;
  /** Never a reverse one. */
  readonly relation: RelationRecord;
  readonly target: string;
}

/** How far a relation of a node was followed. */
export interface Followed {
  readonly shown: number;
  readonly total: number;
  /** The cursor of the next page; null after the last one. */
  readonly next: string | null;
}

export const ARRANGEMENTS = ['force', 'tree', 'kinds'] as const;
export type Arrangement = (typeof ARRANGEMENTS)[number];

/** The tables of a drawing. */
export interface Tables {
  readonly nodes: ReadonlyMap<string, DrawnNode>;
  readonly facts: ReadonlyMap<string, DrawnFact>;
  readonly places: ReadonlyMap<string, Point>;
  /** The node that each one grew from. */
  readonly origins: ReadonlyMap<string, string>;
  /** The nodes that a user pinned. */
  readonly pinned: ReadonlyMap<string, true>;
  /** By `followedKey`. */
  readonly followed: ReadonlyMap<string, Followed>;
  /** What is not shown: `kind:ID` and `relation:PREDICATE`. */
  readonly hidden: ReadonlyMap<string, true>;
  /** The kinds whose nodes are drawn as one. */
  readonly folded: ReadonlyMap<string, true>;
  readonly notes: ReadonlyMap<string, string>;
}

export type TableName = keyof Tables;

/** One entry that an action sets; undefined takes it out. */
export interface Entry {
  readonly table: TableName;
  readonly key: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Something that was done, in words that follow "Undo". */
export interface Action {
  readonly words: string;
  readonly entries: readonly Entry[];
}

/** Nothing is drawn. */
export const EMPTY: Tables = {
  nodes: new Map(),
  facts: new Map(),
  places: new Map(),
  origins: new Map(),
  pinned: new Map(),
  followed: new Map(),
  hidden: new Map(),
  folded: new Map(),
  notes: new Map(),
};

export const TABLES = Object.keys(EMPTY) as readonly TableName[];

/** The kind of whatever has none. */
export const NO_KIND: KindOfThing = { id: '', label: 'type unknown' };

/** The key of an entry of `followed`. */
export function followedKey(node: string, relation: string): string {
  return `${node}\n${relation}`;
}

/** The key of a term's node. A value belongs to the entity that has it: two films of 1999 share no node. */
export function nodeKey(term: TermRecord, owner: string): string {
  return isThing(term) ? term.id : `${owner}\n${term.id}`;
}

/** Whether a term is an entity, and not a value. */
export function isThing({ kind }: TermRecord): boolean {
  return kind === 'entity' || kind === 'mediator';
}

/** The tables after an action. */
export function done(tables: Tables, { entries }: Action): Tables {
  if (entries.length === 0) return tables;
  const changed = new Map<TableName, Map<string, unknown>>();
  for (const { table, key, to } of entries) {
    const into = changed.get(table) ?? new Map<string, unknown>(tables[table]);
    changed.set(table, into);
    if (to === undefined) into.delete(key);
    else into.set(key, to);
  }
  return { ...tables, ...Object.fromEntries(changed) };
}

/** The action that takes another one back. */
export function inverse({ words, entries }: Action): Action {
  return { words, entries: entries.toReversed().map((entry) => ({ ...entry, from: entry.to, to: entry.from })) };
}

/** Collects the entries of an action; each sees what those before it set. */
export class Doing {
  readonly #tables: Tables;
  readonly #set = new Map<string, Entry>();

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  get<Name extends TableName>(table: Name, key: string): ReturnType<Tables[Name]['get']> {
    const own = this.#set.get(`${table}\n${key}`);
    return (own ? own.to : this.#tables[table].get(key)) as ReturnType<Tables[Name]['get']>;
  }

  set<Name extends TableName>(table: Name, key: string, to: ReturnType<Tables[Name]['get']>): void {
    const from = this.#tables[table].get(key);
    if (same(from, to)) this.#set.delete(`${table}\n${key}`);
    else this.#set.set(`${table}\n${key}`, { table, key, from, to });
  }

  /** What was collected; null where it changes nothing. */
  action(words: string): Action | null {
    return this.#set.size > 0 ? { words, entries: [...this.#set.values()] } : null;
  }
}

function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** What was done, and what of it was taken back. */
export interface History {
  readonly done: readonly Action[];
  readonly undone: readonly Action[];
}

export const NO_HISTORY: History = { done: [], undone: [] };

/** A fact as it was read from one of its ends. */
export interface ReadFact {
  /** The same whichever way the fact was read. */
  readonly key: string;
  readonly source: TermRecord;
  readonly relation: RelationRecord;
  readonly target: TermRecord;
}

/** Draws facts and whatever stands at their ends; new nodes grow from the end that is there. */
export function drawFacts(
  doing: Doing,
  facts: readonly ReadFact[],
  kinds: Readonly<Record<string, KindOfThing | null>>,
): readonly string[] {
  const fresh: string[] = [];
  const put = (term: TermRecord, key: string, origin: string | null) => {
    if (doing.get('nodes', key)) return;
    doing.set('nodes', key, { term, kind: kinds[term.id] ?? null });
    if (origin !== null) doing.set('origins', key, origin);
    fresh.push(key);
  };
  for (const { key, source, relation, target } of facts) {
    const from = nodeKey(source, target.id);
    const to = nodeKey(target, source.id);
    const hasTo = doing.get('nodes', to) !== undefined;
    put(source, from, hasTo ? to : null);
    put(target, to, from);
    if (doing.get('facts', key)) continue;
    const straight = { ...relation, id: relation.id.replace(/^\^/, ''), reverse: false };
    doing.set(
      'facts',
      key,
      relation.reverse
        ? { source: to, relation: straight, target: from }
        : { source: from, relation: straight, target: to },
    );
  }
  return fresh;
}

/** So far to the right of everything stands what grew from nothing. */
const APART = 4;

/** Gives nodes places that have none: beside the node that they grew from, level by level. What stands stays. */
export function placeFresh(doing: Doing, tables: Tables, fresh: readonly string[]): void {
  let points: ReadonlyMap<string, Point> = tables.places;
  let waiting = fresh.filter((key) => !points.has(key));
  const origins = new Map(tables.origins);
  for (const key of waiting) {
    const origin = doing.get('origins', key);
    if (origin !== undefined) origins.set(key, origin);
  }
  while (waiting.length > 0) {
    const rooted = waiting.filter((key) => points.has(origins.get(key) ?? ''));
    if (rooted.length === 0) {
      const [first = ''] = waiting.filter((key) => !waiting.includes(origins.get(key) ?? '')).concat(waiting);
      points = new Map(points).set(first, points.size === 0 ? { x: 0, y: 0 } : rightOf(points));
      waiting = waiting.filter((key) => key !== first);
      continue;
    }
    const arrivals: Arrival<string>[] = rooted.map((key) => ({ key, source: origins.get(key) ?? '' }));
    points = extend(points, arrivals, origins);
    waiting = waiting.filter((key) => !points.has(key));
  }
  for (const key of fresh) if (!tables.places.has(key)) doing.set('places', key, points.get(key));
}

function rightOf(points: ReadonlyMap<string, Point>): Point {
  let right = 0;
  for (const { x } of points.values()) right = Math.max(right, x);
  return { x: right + APART, y: 0 };
}

/** Takes nodes out, with the facts that touch them and all that was said of them. */
export function removeNodes(doing: Doing, tables: Tables, keys: Iterable<string>): void {
  const gone = new Set(keys);
  for (const [key, { source, target }] of tables.facts) {
    if (gone.has(source) || gone.has(target)) doing.set('facts', key, undefined);
  }
  for (const key of tables.followed.keys()) {
    if (gone.has(key.slice(0, key.indexOf('\n')))) doing.set('followed', key, undefined);
  }
  for (const [key, origin] of tables.origins) if (gone.has(origin)) doing.set('origins', key, undefined);
  for (const key of gone) {
    for (const table of ['nodes', 'places', 'origins', 'pinned', 'notes'] as const) doing.set(table, key, undefined);
  }
}

/** The nodes that hang on a node alone: what folding it up takes away. Those that are pinned or have a note stay. */
export function hangingOn(tables: Tables, node: string): readonly string[] {
  const others = new Map<string, Set<string>>();
  const join = (one: string, other: string) => {
    const joined = others.get(one);
    if (joined) joined.add(other);
    else others.set(one, new Set([other]));
  };
  for (const { source, target } of tables.facts.values()) {
    join(source, target);
    join(target, source);
  }
  return [...(others.get(node) ?? [])].filter(
    (key) => key !== node && others.get(key)?.size === 1 && !tables.pinned.has(key) && !tables.notes.has(key),
  );
}

/** Folds a node up: nodes that only it connects go, and it can be followed again. */
export function collapse(doing: Doing, tables: Tables, node: string): void {
  removeNodes(doing, tables, hangingOn(tables, node));
  for (const key of tables.followed.keys()) if (key.startsWith(`${node}\n`)) doing.set('followed', key, undefined);
}

/** Puts another drawing in the place of all that is drawn. */
export function replaceAll(doing: Doing, tables: Tables, others: Tables): void {
  for (const table of TABLES) {
    for (const key of tables[table].keys()) if (!others[table].has(key)) doing.set(table, key, undefined);
    for (const [key, entry] of others[table]) doing.set(table, key, entry as ReturnType<Tables[typeof table]['get']>);
  }
}

/** The kind of a node, whatever it is. */
export function kindOf({ term, kind }: DrawnNode): KindOfThing {
  if (kind) return kind;
  switch (term.kind) {
    case 'number':
      return { id: '=number', label: 'number' };
    case 'date':
      return { id: '=date', label: 'date' };
    case 'text':
      return { id: '=text', label: 'text' };
    case 'mediator':
      return { id: '=link', label: 'mediator' };
    default:
      return NO_KIND;
  }
}

/** What a kind or relation is called in `hidden`. */
export const hiddenKind = (kind: string): string => `kind:${kind}`;
export const hiddenRelation = (predicate: string): string => `relation:${predicate}`;

/** The form in which a drawing is kept; a later form gets another number and reads this one. */
const FORM = 1;

/** A drawing as it is kept: plain JSON. */
export interface KeptDrawing {
  readonly form: typeof FORM;
  readonly tables: Readonly<Record<TableName, readonly (readonly [string, unknown])[]>>;
  readonly chosen: readonly string[];
  /** What was in sight; null for all of it. */
  readonly sight: unknown;
}

/** A drawing to keep. */
export function kept(tables: Tables, chosen: Iterable<string>, sight: unknown): KeptDrawing {
  const entries = TABLES.map((name) => [name, [...(tables[name] as ReadonlyMap<string, unknown>)]] as const);
  return {
    form: FORM,
    tables: Object.fromEntries(entries) as unknown as KeptDrawing['tables'],
    chosen: [...chosen],
    sight,
  };
}

/** What was kept; null where it is none of ours or of a later form. */
export function restored(
  content: unknown,
): { readonly tables: Tables; readonly chosen: ReadonlySet<string>; readonly sight: unknown } | null {
  if (!isRecord(content) || content['form'] !== FORM || !isRecord(content['tables'])) return null;
  const stored = content['tables'];
  const tables: Record<string, unknown> = {};
  for (const name of TABLES) {
    const entries = stored[name] ?? [];
    if (!Array.isArray(entries) || !entries.every(isPair)) return null;
    tables[name] = new Map(entries);
  }
  const whole = tables as unknown as Tables;
  const hasEnds = [...whole.facts.values()].every(
    ({ source, target }) => whole.nodes.has(source) && whole.nodes.has(target),
  );
  if (!hasEnds || ![...whole.nodes.values()].every(isNode)) return null;
  const chosen = Array.isArray(content['chosen'])
    ? content['chosen'].filter((key) => whole.nodes.has(key as string))
    : [];
  return { tables: whole, chosen: new Set(chosen as string[]), sight: content['sight'] ?? null };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPair(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string';
}

function isNode(value: unknown): boolean {
  return isRecord(value) && isRecord(value['term']) && typeof value['term']['label'] === 'string';
}
