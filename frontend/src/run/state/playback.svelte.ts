/** Which moment of the run is shown: the newest while it is followed, or one that the user chose. */
import { EMPTY } from '../../core/events/run';
import type { FollowedRun } from './run.svelte';
import type { ViewState } from './view.svelte';

/** How long the newest step is shown before the next one may be, in milliseconds. */
const DWELL = 420;
/** How long each step is shown while the run is played. */
const PLAY = 1100;

export class Playback {
  readonly #run: FollowedRun;
  readonly #view: ViewState;
  readonly #calm: () => boolean;
  /** It trails the run a little, so that each decision can be seen to fall. */
  #trail = $state(0);
  playing = $state(false);

  /** The newest step that is shown. */
  readonly lead = $derived.by(() => (this.#calm() ? this.#run.last : Math.min(this.#trail, this.#run.last)));
  readonly step = $derived.by(() => Math.min(this.#view.current.step ?? this.lead, this.#run.last));
  readonly moment = $derived.by(() => this.#run.moments[this.step] ?? null);
  /** What was known at the moment that is shown. */
  readonly now = $derived.by(() => this.moment?.after ?? (this.#run.events.length > 0 ? this.#run.whole : EMPTY));
  readonly following = $derived.by(() => this.#view.current.step === null);
  readonly atEnd = $derived.by(() => this.#run.over && this.step === this.#run.last);

  /** @param calm Whether the system asks for less motion: then nothing trails. */
  constructor(run: FollowedRun, view: ViewState, calm: () => boolean) {
    this.#run = run;
    this.#view = view;
    this.#calm = calm;
  }

  /** Show a step; the newest one follows the run. */
  show(step: number): void {
    const bounded = Math.max(0, Math.min(step, this.#run.last));
    this.#view.change({ step: bounded === this.#run.last && bounded === this.lead ? null : bounded });
  }

  /** Follow the run. */
  follow(): void {
    this.catchUp();
    this.playing = false;
    this.#view.change({ step: null });
  }

  /** Show the newest step at once. */
  catchUp(): void {
    this.#trail = this.#run.last;
  }

  /** Let the newest step follow the run at a pace that can be watched; returns what stops it. */
  pace(): (() => void) | undefined {
    if (this.lead >= this.#run.last) return undefined;
    const timer = setTimeout(() => (this.#trail = this.lead + 1), DWELL);
    return () => clearTimeout(timer);
  }

  /** Show one step after the other while playing; returns what stops it. */
  play(): (() => void) | undefined {
    if (!this.playing) return undefined;
    const timer = setTimeout(() => {
      if (this.step >= this.#run.last) this.playing = false;
      else this.show(this.step + 1);
    }, PLAY);
    return () => clearTimeout(timer);
  }

  /** Start or stop playing, from the first step if the last is shown. */
  togglePlay(): void {
    this.playing = !this.playing;
    if (this.playing && this.step >= this.#run.last) this.show(0);
  }
}
