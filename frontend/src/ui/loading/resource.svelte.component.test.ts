import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { RequestFault } from '../../api/client';
import { Resource } from './resource.svelte';

/** A request, which a test answers when it likes. */
interface Asked {
  readonly query: string;
  readonly signal: AbortSignal;
  readonly answer: (value: string) => Promise<void>;
  readonly refuse: (status: number) => Promise<void>;
}

let asked: Asked[];
let end: () => void;
let query = $state<string | null>('first');

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  query = 'first';
});

afterEach(() => {
  end();
  vi.useRealTimers();
});

function ask(wanted: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    asked.push({
      query: wanted,
      signal,
      answer: async (value) => {
        resolve(value);
        await pass(0);
      },
      refuse: async (status) => {
        reject(new RequestFault('refused', `Refused with ${status}.`, status));
        await pass(0);
      },
    });
  });
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

/** The request that was made last. */
function last(): Asked {
  const found = asked.at(-1);
  if (!found) throw new Error('Nothing was requested.');
  return found;
}

async function started(settings: ConstructorParameters<typeof Resource<string, string>>[2] = {}) {
  const made: Resource<string, string>[] = [];
  end = $effect.root(() => {
    made.push(new Resource<string, string>(() => query, ask, settings));
  });
  flushSync();
  await pass(0);
  const [resource] = made;
  if (!resource) throw new Error('No resource was made.');
  return resource;
}

async function change(to: string | null) {
  query = to;
  flushSync();
  await pass(0);
}

test('it loads when it is created, and reports when it does', async () => {
  const resource = await started();
  expect([resource.value, resource.loading, last().query]).toEqual([null, true, 'first']);
  await last().answer('found');
  expect([resource.value, resource.loading, resource.fault]).toEqual(['found', false, null]);
});

test('another query aborts the request before it, whose late answer is ignored', async () => {
  const resource = await started();
  const first = last();
  await change('second');
  expect(first.signal.aborted).toBe(true);
  expect(last().query).toBe('second');
  await last().answer('second found');
  await first.answer('first found');
  expect(resource.value).toBe('second found');
});

test('a late refusal is ignored, too', async () => {
  const resource = await started();
  const first = last();
  await change('second');
  await first.refuse(500);
  expect([resource.fault, resource.loading]).toEqual([null, true]);
});

test('the value stays while the next one is loaded, and after a fault', async () => {
  const resource = await started();
  await last().answer('found');
  await change('second');
  expect(resource.value).toBe('found');
  await last().refuse(503);
  expect([resource.value, resource.fault?.message, resource.loading]).toEqual(['found', 'Refused with 503.', false]);
  resource.reload();
  flushSync();
  await pass(0);
  await last().answer('found again');
  expect([resource.value, resource.fault]).toEqual(['found again', null]);
});

test('a value that is dropped is gone while the next one is loaded', async () => {
  const resource = await started({ drops: true });
  await last().answer('found');
  await change('second');
  expect(resource.value).toBeNull();
});

test('without a query nothing is requested and nothing is kept', async () => {
  const resource = await started();
  await last().answer('found');
  await change(null);
  expect([resource.value, resource.loading, asked.length]).toEqual([null, false, 1]);
});

test('a request waits for a pause in typing, but the first one does not', async () => {
  await started({ pause: 200 });
  await last().answer('found');
  await change('s');
  await pass(150);
  await change('se');
  await pass(150);
  expect(asked).toHaveLength(1);
  await pass(100);
  expect([asked.length, last().query]).toEqual([2, 'se']);
});

test('it polls as long as the value may change', async () => {
  const resource = await started({ polls: (value) => value === 'running' });
  await last().answer('running');
  await pass(60_000);
  expect(asked).toHaveLength(2);
  await last().answer('over');
  await pass(60_000);
  expect([asked.length, resource.value]).toEqual([2, 'over']);
});

test.each([400, 401, 404, 409])('a poll that is refused with %d is not repeated', async (status) => {
  await started({ polls: () => true });
  await last().refuse(status);
  await pass(60_000);
  expect(asked).toHaveLength(1);
});

test('a failed poll is repeated, unless there is nothing at this address', async () => {
  const resource = await started({ polls: () => true });
  await last().refuse(503);
  expect(resource.fault?.status).toBe(503);
  await pass(60_000);
  expect(asked).toHaveLength(2);
  await last().refuse(404);
  await pass(60_000);
  expect([asked.length, resource.fault?.status]).toEqual([2, 404]);
});

test('nothing is requested once its component is gone', async () => {
  await started({ polls: () => true });
  await last().answer('found');
  end();
  expect(last().signal.aborted).toBe(true);
  await pass(60_000);
  expect(asked).toHaveLength(1);
});
