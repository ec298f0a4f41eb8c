/**
 * Following a run: every event once and in order, whatever the connection does. A socket that breaks, or of which
 * nothing was heard for a while, is opened again with the last seq; until one holds, the same events are fetched.
 */
import { RequestFault } from './client';
import type { RunEventOut, SocketMessage } from './types';

/** How the connection stands: `closed` once the last event is here, `crowded` where the site asks to come less often. */
export type Connection = 'connecting' | 'live' | 'lost' | 'crowded' | 'closed' | 'gone';

/** What following needs of the outside. */
export interface Wire {
  /** The socket that sends the events after a seq. */
  readonly open: (after: number) => WebSocket;
  /** The same events by request. */
  readonly fetch: (after: number) => Promise<readonly RunEventOut[]>;
  /** Milliseconds before each try to mend a lost connection; the last is repeated. */
  readonly delays: readonly number[];
}

/** What `follow` reports. */
export interface Follower {
  readonly onEvents: (events: readonly RunEventOut[]) => void;
  readonly onConnection: (connection: Connection) => void;
}

/** Half a second first, then ever more calmly. */
export const DELAYS = [500, 1000, 2000, 4000, 8000] as const;
/** The site sends a heartbeat every 5 s; a socket that is silent for this many milliseconds is lost. */
export const SILENCE = 15_000;
/** A socket that is open for this many milliseconds is stable: after a break, retries begin again with the first delay. */
export const STEADY = 10_000;
/** Milliseconds before the next try where the site holds too many sockets of this address. */
export const CROWDED = 20_000;

const UNKNOWN_RUN = 4404;
const TOO_MANY_SOCKETS = 4429;
const TERMINAL: ReadonlySet<string> = new Set(['finished', 'undecided', 'failed', 'cancelled']);

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
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let steady: ReturnType<typeof setTimeout> | undefined;

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
    clearTimeout(retry);
    leave();
    if (connection) follower.onConnection(connection);
  }

  /** Let go of the socket that there is, whatever it still says. */
  function leave(): void {
    clearTimeout(silence);
    clearTimeout(steady);
    const left = socket;
    socket = null;
    left?.close();
  }

  function connect(): void {
    const opened = wire.open(last);
    socket = opened;
    /** Wait for the next word. A connection that is half open never says that it is closed. */
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(() => {
        leave();
        void mend('lost');
      }, SILENCE);
    };
    listen();
    opened.onopen = () => {
      if (socket !== opened) return;
      listen();
      steady = setTimeout(() => (tries = 0), STEADY);
      follower.onConnection('live');
    };
    opened.onmessage = ({ data }: MessageEvent<string>) => {
      if (socket !== opened) return;
      listen();
      const message = JSON.parse(data) as SocketMessage;
      if ('seq' in message) take([message]);
    };
    opened.onclose = ({ code }) => {
      if (socket !== opened) return;
      leave();
      if (code === UNKNOWN_RUN) stop('gone');
      else void mend(code === TOO_MANY_SOCKETS ? 'crowded' : 'lost');
    };
  }

  async function mend(reason: 'lost' | 'crowded'): Promise<void> {
    let connection: Connection = reason;
    let wait = 0;
    // A socket may also close because the run has ended: missing events are fetched at once.
    try {
      take(await wire.fetch(last));
    } catch (fault) {
      // The server is away: the next try comes by itself. One that asks to wait is given that time.
      if (fault instanceof RequestFault && fault.wait > 0) {
        connection = 'crowded';
        wait = fault.wait * 1000;
      }
    }
    if (stopped) return;
    follower.onConnection(connection);
    const delay = reason === 'crowded' ? CROWDED : (wire.delays[Math.min(tries, wire.delays.length - 1)] ?? 0);
    tries += 1;
    retry = setTimeout(connect, Math.max(delay, wait));
  }

  follower.onConnection('connecting');
  connect();
  return () => stop(null);
}

/** The address of a run's socket, on the page's own host. */
export function socketAddress(page: { protocol: string; host: string }, id: string, after: number): string {
  return `${page.protocol === 'https:' ? 'wss' : 'ws'}://${page.host}/ws/runs/${id}/?after=${after}`;
}
