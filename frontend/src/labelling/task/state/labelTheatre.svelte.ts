import { untrack } from 'svelte';
import { prefersReducedMotion } from 'svelte/motion';

import { numbered, same } from '../../../core/labels/labelling';
import { router } from '../../../shell/router.svelte';
import { TheatreModel, provideTheatre } from '../../../run/state/model.svelte';
import type { Work } from './work.svelte';

/** Labelling needs so much room; with less, there is reading. */
export const ROOM = 768;

/** A theatre that shows what decisions lead to, such as those of a draft; a note changes neither. */
export function labelTheatre(work: () => Work, events: () => Parameters<typeof numbered>[0], query = () => '') {
  const theatre = new TheatreModel(() => prefersReducedMotion.current, query);
  provideTheatre(theatre);
  $effect.pre(() => {
    const shown = numbered(events());
    untrack(() => {
      if (!same(shown, theatre.run.events)) theatre.begin(shown, false);
    });
  });
  $effect.pre(() => {
    theatre.selection.gold = new Set(work().draft.marked);
  });
  $effect(() => router.keep(theatre.query));
  return theatre;
}
