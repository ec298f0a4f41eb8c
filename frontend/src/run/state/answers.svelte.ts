/** The answers of the run: those that its last event lists, and those that were fetched. */
import { RequestFault, getAnswers } from '../../api/client';
import type { AnswerRecord, FactRecord } from '../../api/types';
import type { FollowedRun } from './run.svelte';
import type { ViewState } from './view.svelte';

/** Number that is fetched at a time. */
const PAGE = 200;

export class Answers {
  readonly #run: FollowedRun;
  readonly #view: ViewState;
  #fetched = $state.raw<readonly AnswerRecord[]>([]);
  busy = $state(false);
  fault = $state('');

  readonly listed = $derived.by((): readonly AnswerRecord[] => {
    const end = this.#run.whole.end;
    return end?.kind === 'finished' ? [...end.answers, ...this.#fetched] : [];
  });
  /** How many there are, listed or not. */
  readonly total = $derived.by(() => {
    const end = this.#run.whole.end;
    return end?.kind === 'finished' ? end.answers_total : 0;
  });
  /** The selected one: the first, unless the user chose another. */
  readonly chosen = $derived.by(() => this.listed[this.#view.current.answer] ?? this.listed[0]);
  /** The facts that prove it. */
  readonly proof = $derived.by((): readonly FactRecord[] => {
    const path = this.chosen?.evidence?.[this.#view.current.proof]?.facts ?? this.chosen?.path ?? [];
    return [...path, ...(this.chosen?.conditions ?? [])];
  });

  constructor(run: FollowedRun, view: ViewState) {
    this.#run = run;
    this.#view = view;
  }

  /** Fetch the next ones; what the site says against it is kept. */
  async fetchMore(): Promise<void> {
    const run = this.#run.info;
    if (!run || this.busy || this.listed.length >= this.total) return;
    this.busy = true;
    this.fault = '';
    try {
      const { answers } = await getAnswers(run.id, this.listed.length, PAGE);
      this.#fetched = [...this.#fetched, ...answers];
      // The site promised more: to go on asking would never end.
      if (answers.length === 0) this.fault = 'The other answers are no longer stored. Ask again to see all.';
    } catch (reason) {
      if (!(reason instanceof RequestFault)) throw reason;
      this.fault = reason.message;
    } finally {
      this.busy = false;
    }
  }

  /** All of them, fetched where need be; fewer if the site no longer has all, and `fault` says why. */
  async every(): Promise<readonly AnswerRecord[]> {
    do await this.fetchMore();
    while (this.listed.length < this.total && this.fault === '');
    return this.listed;
  }
}
