/** The states of background work, whatever kind it is. */
import type { Status } from '../../api/types';

/** A piece of background work, as lists show it. */
export interface WorkItem {
  readonly id: string;
  readonly status: Status;
  readonly created_at: string;
  readonly starter: string | null;
}

/** Whether a worker may still change something. */
export function isAtWork({ status }: { readonly status: Status }): boolean {
  return status === 'queued' || status === 'running';
}
