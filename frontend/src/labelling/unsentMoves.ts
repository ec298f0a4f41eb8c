/**
 * Moves that the site does not have yet, kept by the browser, so that they survive a reload and a lost connection.
 *
 * Each tab keeps its own moves, so that no tab overwrites another's. A move that two tabs send counts once.
 */
import type { Move } from '../core/labels/labelling';

/** Moves one after another. */
export interface UnsentMoves {
  /** The number of the log's move that they come after. */
  readonly after: number;
  readonly moves: readonly Move[];
}

/** As much of `Storage` as is needed. */
export type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

const NAME = 'discern-moves';

/** How many moves of a person wait in this browser, by task. */
export function waitingMoves(shelf: Shelf, person: string): ReadonlyMap<number, number> {
  const waiting = new Map<number, Set<string>>();
  for (const key of keysOf(shelf)) {
    const [name, who, task] = key.split(' ');
    if (name !== NAME || who !== person) continue;
    const ids = waiting.get(Number(task)) ?? new Set();
    for (const { id } of unsentOf(shelf.getItem(key))?.moves ?? []) ids.add(id);
    waiting.set(Number(task), ids);
  }
  return new Map([...waiting].map(([task, ids]) => [task, ids.size]));
}

/** The unsent moves of one user on a task, of all tabs. */
export class UnsentMoveStore {
  readonly #shelf: Shelf;
  readonly #prefix: string;
  readonly #own: string;

  /** @param tab The id of this tab. */
  constructor(shelf: Shelf, person: string, task: number, tab: string) {
    this.#shelf = shelf;
    this.#prefix = `${NAME} ${person} ${task} `;
    this.#own = this.#prefix + tab;
  }

  /** Keep this tab's moves. Returns whether the browser could. */
  keep(unsent: UnsentMoves): boolean {
    try {
      if (unsent.moves.length === 0) this.#shelf.removeItem(this.#own);
      else this.#shelf.setItem(this.#own, JSON.stringify(unsent));
      return true;
    } catch {
      // The browser keeps nothing, or has no room left.
      return false;
    }
  }

  /** Take over what other tabs left, which may have been closed: theirs are this tab's to send now. */
  takeOver(): readonly UnsentMoves[] {
    const found: UnsentMoves[] = [];
    for (const key of keysOf(this.#shelf)) {
      if (!key.startsWith(this.#prefix)) continue;
      const unsent = unsentOf(this.#shelf.getItem(key));
      if (unsent) found.push(unsent);
      else this.#shelf.removeItem(key);
    }
    return found.sort((one, other) => one.after - other.after);
  }

  /** Remove these moves from other tabs: the site has them, or the annotator dropped them. */
  forget(moves: readonly Move[]): void {
    const ids = new Set(moves.map(({ id }) => id));
    for (const key of keysOf(this.#shelf)) {
      if (!key.startsWith(this.#prefix) || key === this.#own) continue;
      const unsent = unsentOf(this.#shelf.getItem(key));
      if (unsent?.moves.every(({ id }) => ids.has(id))) this.#shelf.removeItem(key);
    }
  }
}

function keysOf(shelf: Shelf): string[] {
  return Array.from({ length: shelf.length }, (_, index) => shelf.key(index)).filter((key) => key !== null);
}

function unsentOf(text: string | null): UnsentMoves | null {
  try {
    const unsent = JSON.parse(text ?? '') as Partial<UnsentMoves>;
    return typeof unsent.after === 'number' && Array.isArray(unsent.moves) ? (unsent as UnsentMoves) : null;
  } catch {
    return null;
  }
}
