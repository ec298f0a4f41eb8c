/** What the graph tells of the thing that is chosen. */
import { untrack } from 'svelte';

import { RequestFault } from '../api/client';
import { getEntity, type EntityDetailOut } from '../api/explorer';

export class ChosenCard {
  /** What is told; null where nothing is chosen, or it is not read yet. */
  told = $state.raw<EntityDetailOut | null>(null);
  fault = $state('');
  readonly #graph: string;
  readonly #chosen: () => string | null;

  /** Read the card of the thing that `chosen` gives the id of, whenever that is another one. */
  constructor(graph: string, chosen: () => string | null) {
    this.#graph = graph;
    this.#chosen = chosen;
    $effect(() => {
      const id = chosen();
      if (id === null) {
        this.told = null;
        this.fault = '';
      } else if (id !== untrack(() => this.told)?.term.id) void this.#read(id);
    });
  }

  async #read(id: string): Promise<void> {
    this.told = null;
    this.fault = '';
    try {
      const told = await getEntity(this.#graph, id);
      if (this.#chosen() === id) this.told = told;
    } catch (reason) {
      if (!(reason instanceof RequestFault)) throw reason;
      if (this.#chosen() === id) this.fault = reason.message;
    }
  }

  /** Ask for it again. */
  again(): void {
    const id = this.#chosen();
    if (id !== null) void this.#read(id);
  }
}
