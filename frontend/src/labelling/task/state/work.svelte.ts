/**
 * An annotator's work on a task: the local draft, and the moves that are being sent to the site.
 *
 * A move changes the draft at once. It waits in the browser until the site has it, and is sent after those before it.
 */
import type { LedToOut, MovedOut, MovesIn, TaskOut, WorkOut } from '../../../api/labelling/annotation';
import { RequestFault } from '../../../api/client';
import {
  NO_NAMES,
  changeTo,
  changed,
  inverse,
  namesWith,
  stacksWith,
  type Change,
  type Draft,
  type Logged,
  type Move,
} from '../../../core/labels/labelling';
import type { UnsentMoves, UnsentMoveStore } from '../../unsentMoves';

/** How the moves stand: the site has all, gets some, or cannot be reached; or it refuses them, and the annotator decides. */
export type Standing = 'saved' | 'saving' | 'offline' | 'moved' | 'refused';

/** What the work needs of the world. */
export interface Ports {
  readonly send: (task: number, moves: MovesIn) => Promise<MovedOut>;
  readonly unsent: Pick<UnsentMoveStore, 'keep' | 'takeOver' | 'forget'>;
  /** Seconds of active time since the last call; `restoreSeconds` puts back seconds that could not be sent. */
  readonly seconds: () => number;
  readonly restoreSeconds: (seconds: number) => void;
  /** Does something later, in milliseconds. */
  readonly later: (action: () => void, milliseconds: number) => void;
  readonly now: () => Date;
  /** Draws the id of a move: a UUID. */
  readonly draw: () => string;
}

/** Maximum of moves in a request: it may hold 100, and 64 kB. */
const MOST_SENT = 50;
/** The pauses between two tries to reach the site, in milliseconds; the last one is repeated. */
const PAUSES = [1_000, 2_000, 5_000, 10_000];

export class Work {
  readonly #ports: Ports;
  readonly task: TaskOut;
  /** The work as the site reported it last. */
  saved = $state.raw<WorkOut>() as WorkOut;
  draft = $state.raw<Draft>() as Draft;
  /** What the decisions lead to that the site has. */
  ledTo = $state.raw<LedToOut>() as LedToOut;
  waiting = $state.raw<readonly Move[]>([]);
  standing = $state<Standing>('saved');
  /** Why the site refuses the moves. */
  fault = $state('');
  savedAt = $state.raw<Date | null>(null);
  /** Whether the browser keeps what waits; where it does not, a reload would lose it. */
  kept = $state(true);
  names = $state.raw(NO_NAMES);

  /** The number of the last move that the site is known to have. */
  #after = 0;
  #left: UnsentMoves[] = [];
  #tries = 0;
  /** What is on its way; null where nothing is. */
  #sending: Promise<void> | null = null;

  readonly stacks = $derived.by(() =>
    stacksWith({ undo: this.saved.undo as Logged[], redo: this.saved.redo as Logged[] }, this.waiting, this.saved.last),
  );
  /** Whether the draft may be changed. */
  readonly open = $derived.by(
    () =>
      (this.saved.state === 'open' || this.saved.state === 'adjudicating') &&
      this.standing !== 'moved' &&
      this.standing !== 'refused',
  );
  /** Whether `ledTo` is what the draft of this moment leads to. */
  readonly fresh = $derived.by(() => this.waiting.length === 0);

  constructor(task: TaskOut, ports: Ports) {
    this.#ports = ports;
    this.task = task;
    this.#take(task.work, task.led_to);
    this.#left = [...ports.unsent.takeOver()];
    this.#takeLeft();
  }

  /** Change fields of the draft. Nothing happens where they have these values already. */
  change(wanted: Partial<Draft>): void {
    const change = changeTo(this.draft, wanted);
    if (change && this.open) this.#move(change, null);
  }

  /** Take the last move back; returns whether there was one. */
  undo(): boolean {
    return this.#takeBack(this.stacks.undo.at(-1));
  }

  /** Bring back what was taken back last; returns whether there was anything. */
  redo(): boolean {
    return this.#takeBack(this.stacks.redo.at(-1));
  }

  /** Send what waits, unless the annotator has to decide first; done once the site has all, or cannot be reached. */
  flush(): Promise<void> {
    if (this.#sending) return this.#sending;
    if (this.waiting.length === 0 || this.standing === 'moved' || this.standing === 'refused') return Promise.resolve();
    if (this.standing === 'saved') this.standing = 'saving';
    this.#sending = this.#sendAll();
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    try {
      do await this.#sendSome();
      while (this.standing === 'saving');
    } finally {
      this.#sending = null;
    }
  }

  async #sendSome(): Promise<void> {
    const sent = this.waiting.slice(0, MOST_SENT);
    const seconds = this.#ports.seconds();
    try {
      const { work, led_to } = await this.#ports.send(this.task.id, {
        after: this.#after,
        moves: sent as MovesIn['moves'],
        seconds,
      });
      this.#tries = 0;
      this.#ports.unsent.forget(sent);
      this.waiting = this.waiting.slice(sent.length);
      this.savedAt = this.#ports.now();
      this.#take(work, led_to);
      this.#keep();
      this.standing = this.waiting.length > 0 ? 'saving' : 'saved';
      if (this.waiting.length === 0) this.#takeLeft();
    } catch (reason) {
      if (!(reason instanceof RequestFault)) throw reason;
      this.#ports.restoreSeconds(seconds);
      this.#refused(reason);
    }
  }

  /** Try again now: the connection seems to be back, or what the site refused it may take now. */
  retry(): void {
    this.#tries = 0;
    if (this.standing === 'refused') this.standing = 'saving';
    void this.flush();
  }

  /** Accept the state that the site returned, such as after a hand-in or after “Edit again”. */
  accept(work: WorkOut): void {
    if (this.waiting.length > 0 || this.#sending) return;
    if (work.last === this.saved.last) this.#take(work, this.ledTo);
    else this.heard(work.last);
  }

  /** The log elsewhere has a move of this number: another tab or another machine wrote it. */
  heard(last: number): void {
    if (last <= this.saved.last || this.#sending) return;
    if (this.waiting.length > 0) void this.flush();
    else this.standing = 'moved';
  }

  /** Go on from what the site has, without the moves that wait. */
  drop(task: TaskOut): void {
    this.#ports.unsent.forget(this.waiting);
    this.waiting = [];
    this.#keep();
    this.fault = '';
    this.standing = 'saved';
    this.#take(task.work, task.led_to);
    this.#takeLeft();
  }

  #take(work: WorkOut, ledTo: LedToOut): void {
    this.saved = work;
    this.ledTo = ledTo;
    this.#after = work.last;
    this.names = namesWith(this.names, ledTo);
    this.draft = this.waiting.reduce<Draft>(changed, work.draft as Draft);
  }

  /** Take over the next unsent moves that were left, and send them. */
  #takeLeft(): void {
    const next = this.#left.shift();
    if (!next || next.moves.length === 0) return;
    this.#after = next.after;
    this.waiting = next.moves;
    this.#keep();
    // Moves after others than the site has may be known to it already; its reply shows which.
    if (next.after === this.saved.last) this.draft = next.moves.reduce<Draft>(changed, this.draft);
    this.standing = 'saving';
    void this.flush();
  }

  #move(change: Change, undoes: number | null): void {
    const move: Move = { id: this.#ports.draw(), ...change, undoes };
    this.draft = changed(this.draft, change);
    this.waiting = [...this.waiting, move];
    this.#keep();
    if (this.standing === 'saved') this.standing = 'saving';
    void this.flush();
  }

  #takeBack(last: Logged | undefined): boolean {
    if (!last || !this.open) return false;
    const { undoes, ...change } = inverse(last);
    this.#move(change, undoes);
    return true;
  }

  #keep(): void {
    this.kept = this.#ports.unsent.keep({ after: this.#after, moves: this.waiting });
  }

  #refused(reason: RequestFault): void {
    if (reason.code === 'draft_moved') this.standing = 'moved';
    else if (reason.status === 0 || reason.status === 429 || reason.status >= 500) {
      this.standing = 'offline';
      const pause = Math.max(reason.wait * 1000, PAUSES[Math.min(this.#tries, PAUSES.length - 1)] ?? 0);
      this.#tries += 1;
      this.#ports.later(() => void this.flush(), pause);
    } else this.standing = 'refused';
    this.fault = this.standing === 'offline' ? '' : reason.message;
  }
}
