import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket as Socket, WebSocketServer, type WebSocket as ServerSocket } from 'ws';

import { recorded } from '../core/events/recorded';
import { follow, isTerminal, socketAddress, type Connection } from './follow';
import type { RunEventOut } from './types';

const EVENTS = recorded('condition');
const DELAYS = [5, 10];

/** A server as the site's: replays what was missed, then closes with 1000 after the last event. */
class Site {
  readonly server = new WebSocketServer({ port: 0 });
  readonly asked: number[] = [];
  fetched = 0;
  /** What each connection does, in turn; the last one goes on for all that follow. */
  behaviours: ((socket: ServerSocket, missed: readonly RunEventOut[]) => void)[] = [sendAll];

  constructor() {
    this.server.on('connection', (socket, request) => {
      const after = Number(new URL(request.url ?? '', 'ws://site').searchParams.get('after'));
      this.asked.push(after);
      const behave = this.behaviours.length > 1 ? this.behaviours.shift() : this.behaviours[0];
      behave?.(
        socket,
        EVENTS.filter(({ seq }) => seq > after),
      );
    });
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

function sendAll(socket: ServerSocket, missed: readonly RunEventOut[]): void {
  for (const event of missed) socket.send(JSON.stringify(event));
  socket.close(1000);
}

let site: Site;
beforeEach(() => {
  site = new Site();
});
afterEach(() => {
  site.server.close();
  for (const socket of site.server.clients) socket.terminate();
});

interface Watched {
  readonly events: RunEventOut[];
  readonly connections: Connection[];
}

/** Follow until the connection is closed or gone. */
function watch(
  after = 0,
  fetch: (after: number) => Promise<readonly RunEventOut[]> = () => Promise.reject(new Error('away')),
): Promise<Watched> {
  const events: RunEventOut[] = [];
  const connections: Connection[] = [];
  return new Promise((resolve) => {
    follow(
      {
        open: (seq) =>
          new Socket(socketAddress({ protocol: 'http:', host: site.host }, 'run', seq)) as unknown as WebSocket,
        fetch: (seq) => {
          site.fetched += 1;
          return fetch(seq);
        },
        delays: DELAYS,
      },
      {
        onEvents: (fresh) => events.push(...fresh),
        onConnection: (connection) => {
          connections.push(connection);
          if (connection === 'closed' || connection === 'gone') resolve({ events, connections });
        },
      },
      after,
    );
  });
}

test('every event comes once and in order', async () => {
  const { events, connections } = await watch();
  expect(events).toEqual(EVENTS);
  expect(connections).toEqual(['connecting', 'live', 'closed']);
});

test('what is known already is not asked for again', async () => {
  const { events } = await watch(4);
  expect(site.asked).toEqual([4]);
  expect(events.map(({ seq }) => seq)).toEqual(EVENTS.slice(4).map(({ seq }) => seq));
});

test('a connection that breaks is mended from the last event, and loses nothing', async () => {
  site.behaviours = [
    (socket, missed) => {
      socket.send(JSON.stringify(missed[0]));
      socket.send(JSON.stringify(missed[1]), () => socket.terminate());
    },
    (socket) => socket.terminate(),
    sendAll,
  ];
  const { events, connections } = await watch();
  expect(events).toEqual(EVENTS);
  expect(site.asked).toEqual([0, 2, 2]);
  expect(connections).toContain('lost');
  expect(connections.at(-1)).toBe('closed');
});

test('an event that is sent twice is taken once', async () => {
  site.behaviours = [
    (socket, missed) =>
      sendAll(
        socket,
        missed.flatMap((event) => [event, event]),
      ),
  ];
  expect((await watch()).events).toEqual(EVENTS);
});

test('where no socket holds, the same events are fetched', async () => {
  site.behaviours = [(socket) => socket.terminate()];
  let served = 0;
  const { events } = await watch(0, (after) => {
    served += 3;
    return Promise.resolve(EVENTS.filter(({ seq }) => seq > after && seq <= served));
  });
  expect(events).toEqual(EVENTS);
  expect(site.fetched).toBe(Math.ceil(EVENTS.length / 3));
});

test('a missing run is reported, and not requested again', async () => {
  site.behaviours = [(socket) => socket.close(4404)];
  const { connections } = await watch();
  expect(connections.at(-1)).toBe('gone');
  expect(site.asked).toHaveLength(1);
});

test('who stops following hears no more', async () => {
  const heard: RunEventOut[] = [];
  site.behaviours = [
    (socket, missed) => {
      socket.send(JSON.stringify(missed[0]));
      setTimeout(() => socket.send(JSON.stringify(missed[1])), 20);
    },
  ];
  const stop = await new Promise<() => void>((resolve) => {
    const stopIt = follow(
      {
        open: (seq) =>
          new Socket(socketAddress({ protocol: 'http:', host: site.host }, 'run', seq)) as unknown as WebSocket,
        fetch: () => Promise.resolve([]),
        delays: DELAYS,
      },
      {
        onEvents: (fresh) => {
          heard.push(...fresh);
          resolve(stopIt);
        },
        onConnection: () => undefined,
      },
      0,
    );
  });
  stop();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(heard).toHaveLength(1);
  expect(site.asked).toHaveLength(1);
});

test.each(['condition', 'undecided'])('the run %s ends with its last event, and not before', (name) => {
  const events = recorded(name);
  expect(events.map(isTerminal)).toEqual(events.map((_, index) => index === events.length - 1));
});

test('a secure page asks for a secure socket', () => {
  expect(socketAddress({ protocol: 'https:', host: 'discern.example' }, 'x', 7)).toBe(
    'wss://discern.example/ws/runs/x/?after=7',
  );
});
