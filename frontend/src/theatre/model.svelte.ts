/** What all parts of the theatre look at, by concern: the run, the moment, the facts, the selection, the view. */
import { getContext, setContext } from 'svelte';

import type { RunEventOut } from '../api/types';
import { FactsInView } from './facts.svelte';
import { Otherwise } from './otherwise.svelte';
import { Playback } from './playback.svelte';
import { FollowedRun } from './run.svelte';
import { Selection } from './selection.svelte';
import { Variants } from './variants.svelte';
import { ViewState } from './view.svelte';

export class TheatreModel {
  readonly run = new FollowedRun();
  readonly view = new ViewState();
  readonly playback: Playback;
  readonly facts: FactsInView;
  readonly selection: Selection;
  readonly otherwise: Otherwise;
  readonly variants = new Variants();

  /** @param calm Whether the system asks for less motion. */
  constructor(calm: () => boolean) {
    this.playback = new Playback(this.run, this.view, calm);
    this.facts = new FactsInView(this.run, this.playback, this.view);
    this.selection = new Selection(this.view, this.playback);
    this.otherwise = new Otherwise(this.run, this.playback, this.selection);
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
