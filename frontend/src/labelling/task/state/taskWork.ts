/** Work on a task in this browser: its moves go to the site, and wait here while it cannot be reached. */
import { sendMoves, type TaskOut } from '../../../api/labelling/annotation';
import type { Activity } from './activity';
import { UnsentMoveStore } from '../../unsentMoves';
import { randomUuid } from './uuid';
import { Work } from './work.svelte';

/** The page from which a task was opened, and which follows once its label is handed in. */
export interface Origin {
  /** What the address of the task keeps of it: a query string without its question mark. */
  readonly query: string;
  readonly href: string;
  /** What leads back there. */
  readonly words: string;
}

/** The work of a user on a task; `person` is their user name. */
export function workOn(task: TaskOut, person: string, activity: Pick<Activity, 'take' | 'restoreSeconds'>): Work {
  return new Work(task, {
    send: sendMoves,
    unsent: new UnsentMoveStore(localStorage, person, task.id, randomUuid()),
    seconds: () => activity.take(),
    restoreSeconds: (seconds) => activity.restoreSeconds(seconds),
    // A timer survives navigation: waiting moves are sent from the next page.
    later: (action, milliseconds) => setTimeout(action, milliseconds),
    now: () => new Date(),
    draw: randomUuid,
  });
}
