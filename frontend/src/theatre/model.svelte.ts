/** What all parts of the theatre look at: the events, the moment that is shown, what is chosen and pointed at. */
import { getContext, setContext } from 'svelte';

import { RequestFault, getFacts } from '../api/client';
import type { Connection } from '../api/follow';
import type { FactOut, OptionOut, RunEventOut, RunOut } from '../api/types';
import { extend, type Arrival, type Point } from '../core/layout';
import { EMPTY, fold, sourceOf, targetOf, type Place } from '../core/run';
import { momentsOf } from '../core/timeline';
import { readView, selectedPosition, type View } from '../core/view';

/** A fact as it stands at the moment that is shown. */
export interface ShownFact {
  readonly fact: FactOut;
  readonly removed: boolean;
}

/** Facts of one position that the events did not list. */
interface More {
  readonly facts: readonly (FactOut & { readonly removed: boolean })[];
  /** How many the site was asked for so far, from the first. */
  readonly asked: number;
}

const PAGE = 200;
const DWELL = 420;
const PLAY = 1100;

export class TheatreModel {
  events = $state.raw<readonly RunEventOut[]>([]);
  run = $state.raw<RunOut | null>(null);
  connection = $state<Connection>('connecting');
  view = $state.raw<View>(readView(location.search));
  /** The newest step that is shown: it trails the run a little, so that each decision can be seen to fall. */
  lead = $state(0);
  playing = $state(false);
  /** The option whose effect is previewed. */
  preview = $state.raw<OptionOut | null>(null);
  /** What the pointer or the focus is on, in any of the drawings: "2" or "2:en.kitt". */
  pointed = $state<string | null>(null);
  /** The words that facts are filtered by. */
  filter = $state('');
  fault = $state<string | null>(null);
  #more = $state.raw<ReadonlyMap<number, More>>(new Map());

  readonly moments = $derived(momentsOf(this.events));
  readonly whole = $derived(fold(this.events));
  readonly last = $derived(Math.max(0, this.moments.length - 1));
  readonly step = $derived(Math.min(this.view.step ?? this.lead, this.last));
  readonly moment = $derived(this.moments[this.step] ?? null);
  readonly now = $derived(this.moment?.after ?? (this.events.length > 0 ? this.whole : EMPTY));
  readonly over = $derived(this.whole.phase === 'over');
  readonly following = $derived(this.view.step === null);
  readonly atEnd = $derived(this.over && this.step === this.last);
  readonly selected = $derived(selectedPosition(this.view.node));

  /** The facts of G_k at this moment, with those that were fetched beside the listed ones. */
  readonly facts = $derived.by((): readonly ShownFact[] => {
    const { now } = this;
    const listed = now.facts.map((fact) => ({ fact, removed: now.removed.has(fact.id) }));
    const known = new Set(now.facts.map(({ id }) => id));
    // The site says of fetched facts what all conditions leave of them: true from the last condition on.
    const settled = now.pruned !== null && now.pruned === this.whole.pruned;
    const more = now.nodes.flatMap(({ out }) =>
      (this.#more.get(out.position)?.facts ?? [])
        .filter(({ id }) => !known.has(id))
        .map((fact) => ({ fact, removed: settled && fact.removed })),
    );
    return [...listed, ...more];
  });

  /** The facts that prove the chosen answer, once the run is over and its end is shown. */
  readonly proof = $derived.by((): ReadonlySet<number> => {
    const end = this.whole.end;
    if (!this.atEnd || end?.kind !== 'finished') return new Set();
    const answer = end.answers[this.view.answer] ?? end.answers[0];
    return new Set([...(answer?.path ?? []), ...(answer?.conditions ?? [])].map(({ id }) => id));
  });

  /** Where the terms of G_k stand. Terms are only ever added. */
  readonly points = $derived.by((): ReadonlyMap<Place, Point> => {
    const topic = this.whole.linked?.topic;
    if (topic && this.#points.size === 0) this.#points = new Map([[`0:${topic.id}` as Place, { x: 0, y: 0 }]]);
    for (const { out } of this.whole.nodes) {
      const facts = [
        ...this.whole.facts.filter(({ position }) => position === out.position),
        ...(this.#more.get(out.position)?.facts ?? []),
      ];
      const arrivals: Arrival<Place>[] = facts
        .map((fact) => ({ key: targetOf(fact), source: sourceOf(this.whole, fact) }))
        .filter(({ key }) => !this.#points.has(key));
      if (arrivals.length === 0) continue;
      this.#points = extend(this.#points, arrivals, this.#origins);
      for (const { key, source } of arrivals) if (!this.#origins.has(key)) this.#origins.set(key, source);
    }
    return this.#points;
  });
  #points: ReadonlyMap<Place, Point> = new Map();
  readonly #origins = new Map<Place, Place>();

  /** The term that each one grew from. */
  originOf(place: Place): Place | undefined {
    return this.#origins.get(place);
  }

  /** Take the events that are there when the run is opened: all shown at once, unless it was just asked. */
  begin(events: readonly RunEventOut[], fresh: boolean): void {
    this.events = events;
    if (!fresh) this.lead = this.last;
  }

  /** Take the events that follow. */
  add(events: readonly RunEventOut[]): void {
    this.events = [...this.events, ...events];
  }

  /** Show a step; the newest one follows the run. */
  show(step: number): void {
    const bounded = Math.max(0, Math.min(step, this.last));
    this.preview = null;
    this.look({ step: bounded === this.last && bounded === this.lead ? null : bounded });
  }

  /** Follow the run. */
  follow(): void {
    this.lead = this.last;
    this.playing = false;
    this.look({ step: null });
  }

  /** Change what is looked at. */
  look(change: Partial<View>): void {
    this.view = { ...this.view, ...change };
  }

  /** Choose a node of S_k or a term of G_k; the same again, or null, chooses none. */
  select(node: string | null): void {
    this.look({ node: this.view.node === node ? null : node });
  }

  /** Whether something stands out: what is pointed at, or else what is chosen. */
  get marked(): string | null {
    return this.pointed ?? this.view.node;
  }

  /** Let the newest step follow the run at a pace that can be watched; returns what stops it. */
  pace(calm: boolean): (() => void) | undefined {
    if (this.lead >= this.last) return undefined;
    if (calm) {
      this.lead = this.last;
      return undefined;
    }
    const timer = setTimeout(() => (this.lead += 1), DWELL);
    return () => clearTimeout(timer);
  }

  /** Show one step after the other, from the first if the last is shown; returns what stops it. */
  play(): (() => void) | undefined {
    if (!this.playing) return undefined;
    const timer = setTimeout(() => {
      if (this.step >= this.last) this.playing = false;
      else this.show(this.step + 1);
    }, PLAY);
    return () => clearTimeout(timer);
  }

  /** Start or stop playing. */
  togglePlay(): void {
    this.playing = !this.playing;
    if (this.playing && this.step >= this.last) this.show(0);
  }

  /** How many facts of a position can be shown now. */
  listedAt(position: number): number {
    return this.facts.reduce((count, { fact }) => count + (fact.position === position ? 1 : 0), 0);
  }

  /** Fetch more of the facts of a position than its event listed. */
  async fetchMore(position: number): Promise<void> {
    const run = this.run;
    const node = this.whole.nodes[position];
    if (!run || !node) return;
    const before = this.#more.get(position) ?? { facts: [], asked: 0 };
    // What the event listed is the beginning; it comes again only where it was listed in part.
    const offset = before.asked || Math.floor(node.listed / PAGE) * PAGE;
    try {
      const page = await getFacts(run.id, position, offset, PAGE);
      this.#more = new Map(this.#more).set(position, {
        facts: [...before.facts, ...page.facts],
        asked: offset + PAGE,
      });
      this.fault = null;
    } catch (reason) {
      if (!(reason instanceof RequestFault)) throw reason;
      this.fault = reason.message;
    }
  }
}

const KEY = Symbol('theatre');

/** Let the parts below find the model. */
export function provideTheatre(model: TheatreModel): void {
  setContext(KEY, model);
}

/** The model of the theatre around. */
export function useTheatre(): TheatreModel {
  return getContext<TheatreModel>(KEY);
}
