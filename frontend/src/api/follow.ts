/**
 * Following a run: every event once and in order, whatever the connection does. A socket that breaks is opened again
 * with the last seq; until one holds, the same events are fetched.
 */
import type { RunEventOut } from './types';

/** How the connection stands: `closed` once the last event is here. */
export type Connection = 'connecting' | 'live' | 'lost' | 'closed' | 'gone';

/** What following needs of the outside. */
export interface Wire {
  /** The socket that sends the events after a seq. */
  readonly open: (after: number) => WebSocket;
  /** The same events by request. */
  readonly fetch: (after: number) => Promise<readonly RunEventOut[]>;
  /** Milliseconds before each try to mend a lost connection; the last is repeated. */
  readonly delays: readonly number[];
}

/** What following tells. */
export interface Follower {
  readonly onEvents: (events: readonly RunEventOut[]) => void;
  readonly onConnection: (connection: Connection) => void;
}

/** Half a second first, then ever more calmly. */
export const DELAYS = [500, 1000, 2000, 4000, 8000] as const;

const UNKNOWN_RUN = 4404;
const TERMINAL: ReadonlySet<string> = new Set(['finished', 'failed', 'cancelled']);

/** Whether an event is the last of its run. */
export function isTerminal({ event }: RunEventOut): boolean {
  return TERMINAL.has(event.kind);
}

/** Follow a run from the event after `after` until its last; the returned function stops following. */
export function follow(wire: Wire, follower: Follower, after: number): () => void {
  let last = after;
  let tries = 0;
  let stopped = false;
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function take(events: readonly RunEventOut[]): void {
    if (stopped) return;
    const fresh = events.filter(({ seq }) => seq > last);
    const newest = fresh.at(-1);
    if (!newest) return;
    last = newest.seq;
    tries = 0;
    follower.onEvents(fresh);
    if (isTerminal(newest)) stop('closed');
  }

  function stop(connection: Connection | null): void {
    if (stopped) return;
    stopped = true;
    clearTimeout(timer);
    socket?.close();
    if (connection) follower.onConnection(connection);
  }

  function connect(): void {
    const opened = wire.open(last);
    socket = opened;
    opened.onopen = () => {
      if (!stopped) follower.onConnection('live');
    };
    opened.onmessage = (message: MessageEvent<string>) => {
      take([JSON.parse(message.data) as RunEventOut]);
    };
    opened.onclose = ({ code }) => {
      if (stopped || socket !== opened) return;
      if (code === UNKNOWN_RUN) stop('gone');
      else void mend();
    };
  }

  async function mend(): Promise<void> {
    // A socket may also close because the run is over: whatever it did not send is fetched at once.
    try {
      take(await wire.fetch(last));
    } catch {
      // The server is away: the next try comes by itself.
    }
    if (stopped) return;
    follower.onConnection('lost');
    const delay = wire.delays[Math.min(tries, wire.delays.length - 1)] ?? 0;
    tries += 1;
    timer = setTimeout(connect, delay);
  }

  follower.onConnection('connecting');
  connect();
  return () => stop(null);
}

/** The address of a run's socket, on the page's own host. */
export function socketAddress(page: { protocol: string; host: string }, id: string, after: number): string {
  return `${page.protocol === 'https:' ? 'wss' : 'ws'}://${page.host}/ws/runs/${id}/?after=${after}`;
}
