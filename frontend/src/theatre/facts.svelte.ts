/** The facts of G_k at the moment that is shown: those that the events list, and those that were fetched. */
import { RequestFault, getFacts } from '../api/client';
import type { FactRecord } from '../api/types';
import { NOTHING_PLACED, placed } from '../core/placement';
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

export class FactsInView {
  readonly #run: FollowedRun;
  readonly #playback: Playback;
  readonly #view: ViewState;
  /** The words that facts are filtered by. */
  filter = $state('');
  fault = $state<string | null>(null);
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
    return [...listed, ...more];
  });

  /** The facts that prove the chosen answer, once the run is over and its end is shown. */
  readonly proof = $derived.by((): ReadonlySet<number> => {
    const end = this.#run.whole.end;
    if (!this.#playback.atEnd || end?.kind !== 'finished') return new Set();
    const answer = end.answers[this.#view.current.answer] ?? end.answers[0];
    const path = answer?.evidence?.[this.#view.current.proof]?.facts ?? answer?.path ?? [];
    return new Set([...path, ...(answer?.conditions ?? [])].map(({ id }) => id));
  });

  constructor(run: FollowedRun, playback: Playback, view: ViewState) {
    this.#run = run;
    this.#playback = playback;
    this.#view = view;
  }

  /** Where the terms stand, and which one each grew from. */
  get placement() {
    return this.#placement;
  }

  /** Give a place to the terms that have come since; those that stand stay. */
  placeNew(): void {
    const fetched = new Map([...this.#fetched].map(([position, { facts }]) => [position, facts]));
    this.#placement = placed(this.#placement, this.#run.whole, fetched);
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
