/** What all parts of the theatre look at, by concern: the run, the moment, the answers, the facts, the selection, the view. */
import { getContext, setContext } from 'svelte';

import type { RunEventOut } from '../../api/types';
import { VIEW, writeView, type View } from '../../core/drawing/view';
import { Answers } from './answers.svelte';
import { FactsInView } from './facts.svelte';
import { DecisionChange } from './decisionChange.svelte';
import { Playback } from './playback.svelte';
import { FollowedRun } from './run.svelte';
import { Selection } from './selection.svelte';
import { Variants } from './variants.svelte';
import { ViewState } from './view.svelte';

export class TheatreModel {
  readonly run = new FollowedRun();
  readonly view = new ViewState();
  readonly answers = new Answers(this.run, this.view);
  readonly playback: Playback;
  readonly facts: FactsInView;
  readonly selection: Selection;
  readonly otherwise: DecisionChange;
  readonly variants = new Variants();

  readonly #beside: () => string;

  /**
   * @param calm Whether the system asks for less motion.
   * @param beside What addresses keep beside what is looked at: a query string without its question mark.
   */
  constructor(calm: () => boolean, beside: () => string = () => '') {
    this.#beside = beside;
    this.playback = new Playback(this.run, this.view, calm);
    this.facts = new FactsInView(this.run, this.playback, this.answers, this.view);
    this.selection = new Selection(this.view, this.playback);
    this.otherwise = new DecisionChange(this.run, this.playback, this.selection);
  }

  /** The query string of what is looked at. */
  get query(): string {
    return withBeside(this.view.search, this.#beside());
  }

  /** The address of a run in the same place, with the usual view or another. */
  address(run: string, view: View = VIEW): string {
    return `/runs/${run}${withBeside(writeView(view), this.#beside())}`;
  }

  /** Take the events that are there when the run is opened: all shown at once, unless it was just asked. */
  begin(events: readonly RunEventOut[], fresh: boolean): void {
    this.run.events = events;
    this.facts.placeNew();
    if (!fresh) this.playback.catchUp();
  }

  /** Take the events that follow. */
  add(events: readonly RunEventOut[]): void {
    this.run.events = [...this.run.events, ...events];
    this.facts.placeNew();
  }
}

function withBeside(query: string, beside: string): string {
  if (!beside) return query;
  return query ? `${query}&${beside}` : `?${beside}`;
}

/** The key of the model in the context of the parts below. */
export const THEATRE = Symbol('theatre');

/** Let the parts below find the model. */
export function provideTheatre(model: TheatreModel): void {
  setContext(THEATRE, model);
}

/** The model of the theatre around. */
export function useTheatre(): TheatreModel {
  return getContext<TheatreModel>(THEATRE);
}

/** The same where a theatre may be around, or not. */
export function theatreAround(): TheatreModel | null {
  return getContext<TheatreModel | undefined>(THEATRE) ?? null;
}
