/** Finding things of a graph as one types: what every field that does so shares. */
import { RequestFault, searchEntities } from '../../api/client';
import type { EntityOut } from '../../api/types';
import { afterPause } from './afterPause';

/** Delay in milliseconds between the last key and the request. */
const PAUSE = 120;

/** What the graph has of a name, and the place in a list of choices that the keys have reached. */
export class EntitySearch {
  /** Null while nothing is known: nothing was typed, or the graph is asked. */
  matches = $state.raw<readonly EntityOut[] | null>(null);
  /** Why the graph could not be asked; empty where it could. */
  fault = $state('');
  active = $state(0);

  /** Searches the graph whenever `query` returns another text; an empty text searches nothing. Call it from a component. */
  constructor(graph: () => string, query: () => string) {
    $effect(() => {
      const typed = query();
      this.matches = null;
      if (!typed) return;
      return afterPause(PAUSE, async (signal) => {
        try {
          this.matches = await searchEntities(graph(), typed, signal);
          this.fault = '';
        } catch (reason) {
          if (signal.aborted) return;
          if (!(reason instanceof RequestFault)) throw reason;
          this.matches = [];
          this.fault = reason.message;
        }
        this.active = 0;
      });
    });
  }

  /** Goes up or down among the choices, round at both ends; whether the key was one for that. */
  moved(key: string, count: number): boolean {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step === undefined) return false;
    this.active = count ? (this.active + step + count) % count : 0;
    return true;
  }
}
