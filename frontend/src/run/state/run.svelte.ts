/** The run that is shown: what the site says of it, and its events as they come. */
import type { Connection } from '../../api/follow';
import type { RunEventOut, RunOut } from '../../api/types';
import { fold } from '../../core/events/run';
import { momentsOf } from '../../core/events/timeline';

export class FollowedRun {
  info = $state.raw<RunOut | null>(null);
  events = $state.raw<readonly RunEventOut[]>([]);
  connection = $state<Connection>('connecting');

  readonly moments = $derived(momentsOf(this.events));
  /** What all events together say. */
  readonly whole = $derived(fold(this.events));
  /** The newest step. */
  readonly last = $derived(Math.max(0, this.moments.length - 1));
  readonly over = $derived(this.whole.phase === 'over');
  /** Whether it stopped before a decision that is to be made. */
  readonly open = $derived(this.whole.end?.kind === 'undecided');
}
