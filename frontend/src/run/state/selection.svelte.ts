/** What stands out in the drawings: what is chosen, pointed at, or would be touched by an option. */
import type { OptionRecord } from '../../api/types';
import { choiceOf, type Choice } from '../../core/events/changes';
import { same } from '../../core/labels/labelling';
import type { Playback } from './playback.svelte';
import type { ViewState } from './view.svelte';

/** What would have been right to choose at a step. */
export interface Wanted {
  readonly step: number;
  readonly choices: readonly Choice[];
}

/** What one of several derivations that are laid over each other has alone. */
export interface Side {
  readonly colour: string;
  /** Whose it is, in a word or two. */
  readonly words: string;
}

export class Selection {
  readonly #view: ViewState;
  readonly #playback: Playback;
  /** What the pointer or the focus is on, in any of the drawings: "2" or "2:en.kitt". */
  pointed = $state<string | null>(null);
  /** The ids of the terms that a user marked as answers. */
  gold = $state.raw<ReadonlySet<string>>(new Set());
  /** By position of S_k, whose it is alone, where several derivations are laid over each other. */
  sides = $state.raw<ReadonlyMap<number, Side>>(new Map());
  /** The option that the user marked as right; null without one. */
  wanted = $state.raw<Wanted | null>(null);
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

  /** Whether an option of this step is one that would have been right. */
  isWanted(option: OptionRecord): boolean {
    if (this.wanted?.step !== this.#playback.step) return false;
    const choice = choiceOf(option);
    return this.wanted.choices.some((each) => same(each, choice));
  }

  /** Choose a node of S_k or a term of G_k; the same again, or null, chooses none. */
  select(node: string | null): void {
    this.#view.change({ node: this.#view.current.node === node ? null : node });
  }
}
