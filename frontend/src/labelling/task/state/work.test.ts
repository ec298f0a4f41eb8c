import { expect, test } from 'vitest';

import type { MovedOut, MovesIn, TaskOut } from '../../../api/labelling/annotation';
import { RequestFault } from '../../../api/client';
import type { Draft, Move } from '../../../core/labels/labelling';
import { Activity } from './activity';
import { UnsentMoveStore, waitingMoves, type Shelf } from '../../unsentMoves';
import { randomUuid } from './uuid';
import { Work } from './work.svelte';

const LED_TO = {
  events: [],
  answers: [],
  answers_total: 0,
  position: null,
  named_terms: [],
  named_relations: [],
  milliseconds: 1,
};

/** A site that keeps the log of one task, and can be cut off. */
class Site {
  log: Move[] = [];
  away = false;
  /** Whether it takes moves while its replies are lost. */
  mute = false;
  /** Whether it takes nothing from who is here. */
  closed = false;
  /** How many moves the longest request held. */
  largest = 0;

  get task(): TaskOut {
    return { id: 7, work: this.#work(), led_to: LED_TO } as unknown as TaskOut;
  }

  send = (_: number, { after, moves }: MovesIn): Promise<MovedOut> => {
    if (this.away) return Promise.reject(new RequestFault('unreachable', 'away', 0));
    if (this.closed) return Promise.reject(new RequestFault('sign_in_first', 'sign in first', 401));
    const known = new Set(this.log.map(({ id }) => id));
    const fresh = (moves as unknown as Move[]).filter(({ id }) => !known.has(id));
    if (fresh.length > 0 && this.log.length !== after + moves.length - fresh.length) {
      return Promise.reject(new RequestFault('draft_moved', 'moved elsewhere', 409));
    }
    this.largest = Math.max(this.largest, moves.length);
    this.log.push(...fresh);
    if (this.mute) return Promise.reject(new RequestFault('unreachable', 'lost', 0));
    return Promise.resolve({ work: this.#work(), led_to: LED_TO } as unknown as MovedOut);
  };

  #work() {
    const draft = this.log.reduce<Partial<Draft>>((all, { now }) => ({ ...all, ...now }), { note: '', topic: null });
    const undo = this.log.map(({ was, now }, index) => ({ number: index + 1, was, now }));
    return { state: 'open', draft, last: this.log.length, undo, redo: [], seconds: 0 };
  }
}

function shelf(): Shelf {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
    key: (index) => [...kept.keys()][index] ?? null,
    get length() {
      return kept.size;
    },
  };
}

/** A tab of a browser that opens the task. */
function tab(site: Site, kept: Shelf, name: string) {
  const later: (() => void)[] = [];
  const work = new Work(site.task, {
    send: site.send,
    unsent: new UnsentMoveStore(kept, 'ben', 7, name),
    seconds: () => 0,
    restoreSeconds: () => undefined,
    later: (action) => later.push(action),
    now: () => new Date(),
    draw: randomUuid,
  });
  return { work, later };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
const notes = (site: Site) => site.log.map(({ now }) => now.note);

test('a move changes the draft at once and reaches the site in its order', async () => {
  const site = new Site();
  const { work } = tab(site, shelf(), 'a');
  work.change({ note: '1' });
  work.change({ note: '2' });
  expect(work.draft.note).toBe('2');
  expect(work.standing).toBe('saving');
  await settled();
  expect(notes(site)).toEqual(['1', '2']);
  expect(work.standing).toBe('saved');
  expect(work.savedAt).not.toBeNull();
});

test('waiting for moves in transit ends when all are sent, or the site cannot be reached', async () => {
  const site = new Site();
  const { work } = tab(site, shelf(), 'a');
  for (const note of ['1', '2', '3']) work.change({ note });
  await work.flush();
  expect([notes(site), work.fresh]).toEqual([['1', '2', '3'], true]);
  site.away = true;
  work.change({ note: '4' });
  await work.flush();
  expect([work.standing, work.fresh]).toEqual(['offline', false]);
});

test('what waited long is sent in parts, each as large as a request may be', async () => {
  const site = new Site();
  const { work, later } = tab(site, shelf(), 'a');
  site.away = true;
  const all = Array.from({ length: 130 }, (_, number) => `${number + 1}`);
  for (const note of all) work.change({ note });
  await settled();
  site.away = false;
  later.at(-1)?.();
  await settled();
  expect(notes(site)).toEqual(all);
  expect(site.largest).toBe(50);
  expect([work.standing, work.waiting.length, work.draft.note]).toEqual(['saved', 0, '130']);
});

test('moves wait while the site is away, survive the tab, and go in order when it is back', async () => {
  const site = new Site();
  const kept = shelf();
  const { work, later } = tab(site, kept, 'a');
  site.away = true;
  for (const note of ['1', '2', '3']) work.change({ note });
  await settled();
  expect([work.standing, work.waiting.length, later.length]).toEqual(['offline', 3, 1]);
  expect(waitingMoves(kept, 'ben')).toEqual(new Map([[7, 3]]));
  expect(waitingMoves(kept, 'rosa').size).toBe(0);
  const again = tab(site, kept, 'b');
  await settled();
  expect(again.work.draft.note).toBe('3');
  site.away = false;
  again.work.retry();
  await settled();
  expect(notes(site)).toEqual(['1', '2', '3']);
  // The first tab was alive after all: what it sends counts once.
  work.retry();
  await settled();
  expect(notes(site)).toEqual(['1', '2', '3']);
  expect(work.standing).toBe('saved');
  expect(kept.length).toBe(0);
});

test('a move whose reply was lost counts once, also after a reload', async () => {
  const site = new Site();
  const kept = shelf();
  const { work } = tab(site, kept, 'a');
  site.mute = true;
  work.change({ note: '1' });
  await settled();
  work.change({ note: '2' });
  site.mute = false;
  const again = tab(site, kept, 'b');
  await settled();
  expect(notes(site)).toEqual(['1', '2']);
  expect([again.work.draft.note, again.work.standing]).toEqual(['2', 'saved']);
});

test('changing a draft that was changed elsewhere shows a message, and nothing is overwritten', async () => {
  const site = new Site();
  const kept = shelf();
  const one = tab(site, kept, 'a').work;
  const other = tab(site, kept, 'b').work;
  one.change({ note: 'one' });
  await settled();
  other.change({ note: 'other' });
  await settled();
  expect([other.standing, other.open, other.waiting.length]).toEqual(['moved', false, 1]);
  expect(notes(site)).toEqual(['one']);
  other.drop(site.task);
  expect([other.draft.note, other.standing, kept.length]).toEqual(['one', 'saved', 0]);
  one.change({ note: 'more' });
  await settled();
  other.heard(2);
  expect(other.standing).toBe('moved');
});

test('refused moves are sent again on request', async () => {
  const site = new Site();
  const { work } = tab(site, shelf(), 'a');
  site.closed = true;
  work.change({ note: '1' });
  await settled();
  expect([work.standing, work.open, work.fault]).toEqual(['refused', false, 'sign in first']);
  site.closed = false;
  work.retry();
  await settled();
  expect([work.standing, notes(site)]).toEqual(['saved', ['1']]);
});

test('undo and redo are moves, also of moves that the site does not have yet', async () => {
  const site = new Site();
  const { work } = tab(site, shelf(), 'a');
  work.change({ note: '1' });
  await settled();
  site.away = true;
  work.change({ note: '2' });
  expect(work.undo()).toBe(true);
  expect(work.draft.note).toBe('1');
  expect(work.undo()).toBe(true);
  expect(work.draft.note).toBe('');
  expect(work.undo()).toBe(false);
  expect(work.redo()).toBe(true);
  expect(work.draft.note).toBe('1');
  await settled();
  site.away = false;
  work.retry();
  await settled();
  expect(site.log.map(({ undoes }) => undoes)).toEqual([null, null, 2, 1, 4]);
});

test('a browser that keeps nothing is reported', () => {
  const full: Shelf = {
    ...shelf(),
    length: 0,
    setItem: () => {
      throw new Error('full');
    },
  };
  const { work } = tab(new Site(), full, 'a');
  work.change({ note: '1' });
  expect(work.kept).toBe(false);
});

test('time counts while the tab is seen and was touched within a minute', () => {
  const activity = new Activity(0);
  for (let now = 1_000; now <= 90_000; now += 1_000) activity.look(now, true);
  expect(activity.take()).toBe(60);
  activity.touch(90_000);
  for (let now = 91_000; now <= 95_000; now += 1_000) activity.look(now, now > 93_000);
  expect(activity.take()).toBe(2);
  // A machine that slept was not at work.
  activity.look(80_000_000, true);
  expect(activity.take()).toBe(0);
});
