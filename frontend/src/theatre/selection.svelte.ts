/** What stands out in the drawings: what is chosen, pointed at, or would be touched by an option. */
import type { OptionRecord } from '../api/types';
import type { Playback } from './playback.svelte';
import type { ViewState } from './view.svelte';

export class Selection {
  readonly #view: ViewState;
  readonly #playback: Playback;
  /** What the pointer or the focus is on, in any of the drawings: "2" or "2:en.kitt". */
  pointed = $state<string | null>(null);
  /** The ids of the terms that somebody says are answers. */
  gold = $state.raw<ReadonlySet<string>>(new Set());
  #preview = $state.raw<{ readonly option: OptionRecord; readonly step: number } | null>(null);

  /** The option whose effect is previewed; another step has other options. */
  readonly preview = $derived.by(() =>
    this.#preview && this.#preview.step === this.#playback.step ? this.#preview.option : null,
  );
  /** What is pointed at, or else what is chosen. */
  readonly marked = $derived.by(() => this.pointed ?? this.#view.current.node);

  constructor(view: ViewState, playback: Playback) {
    this.#view = view;
    this.#playback = playback;
  }

  /** Show what an option of this step would change, or nothing. */
  show(option: OptionRecord | null): void {
    this.#preview = option && { option, step: this.#playback.step };
  }

  /** Choose a node of S_k or a term of G_k; the same again, or null, chooses none. */
  select(node: string | null): void {
    this.#view.change({ node: this.#view.current.node === node ? null : node });
  }
}
