/** The change of a decision that is previewed, and the one that is being requested. */
import { RequestFault } from '../../api/client';
import { listOptions, previewChange, type PreviewOut } from '../../api/asking/variants';
import type { DecisionRecord, OptionRecord } from '../../api/types';
import { insteadOf, numberOf, usualLater, type Change, type Later } from '../../core/events/changes';
import { withEvery } from '../../core/labels/pool';
import type { Playback } from './playback.svelte';
import type { FollowedRun } from './run.svelte';
import type { Selection } from './selection.svelte';

/** How long the pointer rests on an option before the site is asked what it would add, in milliseconds. */
const REST = 160;

export class DecisionChange {
  readonly #run: FollowedRun;
  readonly #playback: Playback;
  readonly #selection: Selection;
  #later = $state<Later | null>(null);
  #every = $state.raw<ReadonlyMap<number, readonly OptionRecord[]>>(new Map());
  #ahead = $state.raw<ReadonlyMap<string, PreviewOut>>(new Map());
  busy = $state(false);
  fault = $state('');

  /** What becomes of the decisions after the change. */
  readonly later = $derived.by(() => this.#later ?? usualLater(this.#playback.moment?.stage ?? 'search'));
  /** The decision that is shown, with every option where those were fetched. */
  readonly decision = $derived.by((): DecisionRecord | null => {
    const decision = this.#playback.moment?.decision ?? null;
    const every = this.#every.get(this.#playback.step);
    return decision && every ? withEvery(decision, every) : decision;
  });
  /** What the option under the pointer would add to G_k and take out; null while that is not known. */
  readonly ahead = $derived.by(() => {
    const option = this.#selection.preview;
    return option ? (this.#ahead.get(this.#keyOf(option)) ?? null) : null;
  });

  constructor(run: FollowedRun, playback: Playback, selection: Selection) {
    this.#run = run;
    this.#playback = playback;
    this.#selection = selection;
  }

  /** Keep the decisions after the change where they still fit, or have them made again. */
  set(later: Later): void {
    this.#later = later;
  }

  /** The change that takes an option of the moment that is shown. */
  instead(option: OptionRecord): Change | null {
    const { moment } = this.#playback;
    return moment?.decision ? insteadOf(this.#run.moments, moment, option, this.later) : null;
  }

  /** Ask for a change; what the site says against it is kept. */
  async ask(change: Change | null, onchange: (change: Change) => Promise<void>): Promise<void> {
    if (!change || this.busy) return;
    this.busy = true;
    this.fault = '';
    try {
      await onchange(change);
    } catch (reason) {
      if (!(reason instanceof RequestFault)) throw reason;
      this.fault = reason.message;
    } finally {
      this.busy = false;
    }
  }

  /** Fetch every option of the decision that is shown. */
  async fetchEvery(): Promise<void> {
    const { moment, step } = this.#playback;
    const run = this.#run.info;
    if (!moment || !run || this.#every.has(step)) return;
    try {
      const every = await listOptions(run.id, moment.stage, numberOf(this.#run.moments, moment));
      this.#every = new Map(this.#every).set(step, every);
      this.fault = '';
    } catch (reason) {
      if (!(reason instanceof RequestFault)) throw reason;
      this.fault = reason.message;
    }
  }

  /** Find out what the option under the pointer would add, once the pointer rests there; returns what stops it. */
  look(): (() => void) | undefined {
    const option = this.#selection.preview;
    const run = this.#run.info;
    if (!option || !run || !this.#run.over || (option.kind !== 'step' && option.kind !== 'constraint'))
      return undefined;
    const key = this.#keyOf(option);
    const change = this.instead(option);
    if (!change || this.#ahead.has(key) || option.index === this.#playback.moment?.decision?.chosen) return undefined;
    const request = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const found = await previewChange(run.id, change, request.signal);
        this.#ahead = new Map(this.#ahead).set(key, found);
      } catch (reason) {
        // A preview that cannot be had is none; what would be asked for says why.
        if (!request.signal.aborted && !(reason instanceof RequestFault)) throw reason;
      }
    }, REST);
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  }

  #keyOf(option: OptionRecord): string {
    return `${this.#playback.step} ${JSON.stringify(this.instead(option))}`;
  }
}
