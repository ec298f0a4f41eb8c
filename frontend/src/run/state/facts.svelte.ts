/** The facts of G_k at the moment that is shown: those that the events list, and those that were fetched. */
import { RequestFault, getFacts } from '../../api/client';
import type { FactRecord } from '../../api/types';
import type { Point } from '../../core/drawing/layout';
import { NOTHING_PLACED, placed } from '../../core/drawing/placement';
import type { Place } from '../../core/events/run';
import { rounded } from '../../core/drawing/view';
import type { Canvas } from '../../graph/FactsGraph.svelte';
import type { Answers } from './answers.svelte';
import type { Playback } from './playback.svelte';
import type { FollowedRun } from './run.svelte';
import type { ViewState } from './view.svelte';

/** A fact as it stands at the moment that is shown. */
export interface ShownFact {
  readonly fact: FactRecord;
  readonly removed: boolean;
}

/** Facts of one position that the events did not list. */
interface Fetched {
  readonly facts: readonly (FactRecord & { readonly removed: boolean })[];
  /** How many the site was asked for so far, from the first. */
  readonly asked: number;
}

const PAGE = 200;
/** Number of facts of a position that are fetched at a time, to be removed. */
const TAKEN_PAGE = 5000;

export class FactsInView {
  readonly #run: FollowedRun;
  readonly #playback: Playback;
  readonly #answers: Answers;
  readonly #view: ViewState;
  /** The words that facts are filtered by. */
  filter = $state('');
  fault = $state<string | null>(null);
  /** The drawing, while there is one. */
  canvas = $state.raw<Canvas | null>(null);
  #fetched = $state.raw<ReadonlyMap<number, Fetched>>(new Map());
  #placement = $state.raw(NOTHING_PLACED);

  readonly shown = $derived.by((): readonly ShownFact[] => {
    const { now } = this.#playback;
    const listed = now.facts.map((fact) => ({ fact, removed: now.removed.has(fact.id) }));
    const known = new Set(now.facts.map(({ id }) => id));
    // The site says of fetched facts what all conditions leave of them: true from the last condition on.
    const settled = now.pruned !== null && now.pruned === this.#run.whole.pruned;
    const more = now.nodes.flatMap(({ out }) =>
      (this.#fetched.get(out.position)?.facts ?? [])
        .filter(({ id }) => !known.has(id))
        .map((fact) => ({ fact, removed: settled && fact.removed })),
    );
    for (const { fact } of more) known.add(fact.id);
    // However many facts a step found, those that prove the chosen answer are drawn.
    const proving = this.#playback.atEnd ? this.#answers.proof.filter(({ id }) => !known.has(id)) : [];
    return [...listed, ...more, ...proving.map((fact) => ({ fact, removed: false }))];
  });

  /** The facts that prove the chosen answer, once the run has ended and its end is shown. */
  readonly proof = $derived.by((): ReadonlySet<number> => {
    if (!this.#playback.atEnd) return new Set();
    return new Set(this.#answers.proof.map(({ id }) => id));
  });

  constructor(run: FollowedRun, playback: Playback, answers: Answers, view: ViewState) {
    this.#run = run;
    this.#playback = playback;
    this.#answers = answers;
    this.#view = view;
  }

  /** Where the terms stand, and which one each grew from. */
  get placement() {
    return this.#placement;
  }

  /** Give a place to the terms that have come since; those that stand stay. */
  placeNew(): void {
    const fetched = new Map<number, readonly FactRecord[]>(
      [...this.#fetched].map(([position, { facts }]) => [position, facts]),
    );
    for (const fact of this.#answers.proof) {
      fetched.set(fact.position, [...(fetched.get(fact.position) ?? []), fact]);
    }
    this.#placement = placed(this.#placement, this.#run.whole, fetched);
  }

  /** Move a term to a position; null returns it to its own position. */
  pin(key: string, at: Point | null): void {
    const pins = new Map(this.#view.current.pins);
    if (at === null) pins.delete(key);
    else pins.set(key, rounded(at));
    this.#view.change({ pins });
  }

  /** Pin a term where it stands, or let it go. */
  pinOrLetGo(key: string): void {
    const isPinned = this.#view.current.pins.has(key);
    this.pin(key, isPinned ? null : (this.#placement.points.get(key as Place) ?? null));
  }

  /** Every fact of the run as it stands at its end, whichever are drawn; those that cannot be had any more are left out. */
  async everyFact(): Promise<readonly ShownFact[]> {
    const run = this.#run.info;
    const { nodes, facts, removed } = this.#run.whole;
    const listed = (position: number): readonly ShownFact[] =>
      facts.filter((fact) => fact.position === position).map((fact) => ({ fact, removed: removed.has(fact.id) }));
    const found: ShownFact[] = [];
    for (const { out, gained, listed: count } of nodes) {
      if (!run || count >= gained) {
        found.push(...listed(out.position));
        continue;
      }
      try {
        const all: ShownFact[] = [];
        while (all.length < gained) {
          const page = await getFacts(run.id, out.position, all.length, TAKEN_PAGE);
          if (page.facts.length === 0) break;
          all.push(...page.facts.map((fact) => ({ fact, removed: fact.removed })));
        }
        found.push(...all);
      } catch (reason) {
        // The graph is not what it was: only the facts in the events are left.
        if (!(reason instanceof RequestFault)) throw reason;
        found.push(...listed(out.position));
      }
    }
    return found;
  }

  /** How many facts of a position can be shown now. */
  countAt(position: number): number {
    return this.shown.reduce((count, { fact }) => count + (fact.position === position ? 1 : 0), 0);
  }

  /** Fetch more of the facts of a position than its event listed. */
  async fetchMore(position: number): Promise<void> {
    const run = this.#run.info;
    const node = this.#run.whole.nodes[position];
    if (!run || !node) return;
    const before = this.#fetched.get(position) ?? { facts: [], asked: 0 };
    // What the event listed is the beginning; it comes again only where it was listed in part.
    const offset = before.asked || Math.floor(node.listed / PAGE) * PAGE;
    try {
      const page = await getFacts(run.id, position, offset, PAGE);
      this.#fetched = new Map(this.#fetched).set(position, {
        facts: [...before.facts, ...page.facts],
        asked: offset + PAGE,
      });
      this.placeNew();
      this.fault = null;
    } catch (reason) {
      if (!(reason instanceof RequestFault)) throw reason;
      this.fault = reason.message;
    }
  }
}
