/** When following gives a connection up and how soon it tries again, with time in the test's own hands. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { recorded } from '../core/events/recorded';
import { RequestFault } from './client';
import { CROWDED, DELAYS, SILENCE, STEADY, follow, type Connection } from './follow';
import type { RunEventOut } from './types';

const EVENTS = recorded('condition');
const HEARTBEAT = { kind: 'heartbeat' };

/** One end of a connection; the test is the other. */
class Line {
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: ((closed: { code: number }) => void) | null = null;
  closedByPage = false;

  constructor(readonly after: number) {}

  close(): void {
    this.closedByPage = true;
  }

  opens(): void {
    this.onopen?.();
  }

  says(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  dies(code = 1006): void {
    this.onclose?.({ code });
  }
}

let lines: Line[];
let connections: Connection[];
let heard: number[];
let fetched: number;
let answer: (after: number) => Promise<readonly RunEventOut[]>;
let stop: () => void;

/** The connection that was opened last. */
function line(): Line {
  const last = lines.at(-1);
  if (!last) throw new Error('nothing was opened');
  return last;
}
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  connections = [];
  heard = [];
  fetched = 0;
  answer = () => Promise.resolve([]);
  stop = follow(
    {
      open: (after) => {
        lines.push(new Line(after));
        return line() as unknown as WebSocket;
      },
      fetch: (after) => {
        fetched += 1;
        return answer(after);
      },
      delays: DELAYS,
    },
    {
      onEvents: (fresh) => heard.push(...fresh.map(({ seq }) => seq)),
      onConnection: (connection) => connections.push(connection),
    },
    0,
  );
});
afterEach(() => {
  stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

test('heartbeats hold a silent connection, and are no events', async () => {
  line().opens();
  for (let beat = 0; beat < 20; beat += 1) {
    await pass(5000);
    line().says(HEARTBEAT);
  }
  expect(lines).toHaveLength(1);
  expect(heard).toEqual([]);
  expect(connections).toEqual(['connecting', 'live']);
});

test('a connection of which nothing is heard is given up and opened again from the last event', async () => {
  const silent = line();
  silent.opens();
  silent.says(EVENTS[0]);
  await pass(SILENCE - 1);
  expect(connections.at(-1)).toBe('live');
  await pass(1);
  expect(connections.at(-1)).toBe('lost');
  expect(silent.closedByPage).toBe(true);
  expect(fetched).toBe(1);
  await pass(DELAYS[0]);
  expect(line().after).toBe(1);
  line().opens();
  // What the old connection still says, and that it closes in the end, means nothing.
  silent.says(EVENTS[1]);
  silent.dies();
  await pass(0);
  expect(heard).toEqual([1]);
  expect(connections.at(-1)).toBe('live');
  line().says(EVENTS[1]);
  expect(heard).toEqual([1, 2]);
});

test('a connection that never opens is given up too', async () => {
  await pass(SILENCE);
  expect(connections.at(-1)).toBe('lost');
  await pass(DELAYS[0]);
  expect(lines).toHaveLength(2);
});

test('connections that open and die at once are tried ever more calmly', async () => {
  for (const delay of [...DELAYS, DELAYS[4], DELAYS[4]]) {
    const before = lines.length;
    line().opens();
    line().says(HEARTBEAT);
    line().dies();
    await pass(delay - 1);
    expect(lines).toHaveLength(before);
    await pass(1);
    expect(lines).toHaveLength(before + 1);
  }
});

test('a connection that opened and stayed is mended with the first delay again', async () => {
  for (const delay of DELAYS.slice(0, 3)) {
    line().opens();
    line().dies();
    await pass(delay);
  }
  line().opens();
  await pass(STEADY);
  line().dies();
  await pass(DELAYS[0]);
  expect(lines).toHaveLength(5);
});

test('where the site holds too many sockets, events are fetched and the next try waits long', async () => {
  answer = (after) => Promise.resolve(EVENTS.slice(after, after + 1));
  line().opens();
  line().dies(4429);
  await pass(CROWDED - 1);
  expect(lines).toHaveLength(1);
  expect(heard).toEqual([1]);
  expect(connections.at(-1)).toBe('crowded');
  await pass(1);
  expect(lines).toHaveLength(2);
  expect(fetched).toBe(1);
});

test('where the site asks to come less often, it gets the time that it asks for', async () => {
  answer = () => Promise.reject(new RequestFault('too_many_requests', 'Try again in 30 seconds.', 429, 30));
  line().dies();
  await pass(29_999);
  expect(lines).toHaveLength(1);
  expect(connections.at(-1)).toBe('crowded');
  await pass(1);
  expect(lines).toHaveLength(2);
});
