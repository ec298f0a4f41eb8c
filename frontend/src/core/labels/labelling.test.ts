import { expect, test } from 'vitest';

import type { OptionRecord } from '../../api/types';
import {
  bestFirst,
  changeTo,
  changed,
  decidedAs,
  decidedIn,
  inReadingOrder,
  inverse,
  namesWith,
  NO_NAMES,
  NOTHING_DECIDED,
  numberIn,
  openDecision,
  openStage,
  removed,
  same,
  stacksWith,
  stageOf,
  taken,
  takenInstead,
  toggled,
  type Draft,
  type Move,
} from './labelling';
import { EMPTY_DRAFT as EMPTY } from './emptyDraft';
import { recorded } from '../events/recorded';
import { EMPTY as EMPTY_STATE } from '../events/run';

const step = (position: number, relation: string) => ({ kind: 'step', position, relation }) as const;
const condition = (position: number, target: string) =>
  ({ kind: 'constraint', position, operator: '=', target }) as const;

/** Knight Rider ─ cast → B; B ─ actor → C; B ─ character → D, which is KITT; the answer is C; and a genre, E. */
const KITT: Draft = {
  ...EMPTY,
  topic: 'en.knight_rider',
  steps: [step(0, 'cast'), step(1, 'actor'), step(1, 'character'), step(0, 'genre')],
  steps_ended: true,
  conditions: [condition(3, 'en.kitt'), condition(4, 'en.drama')],
  conditions_ended: true,
  answer: 2,
};

const option = (position: number, relation: string): OptionRecord => ({
  kind: 'step',
  index: 0,
  probability: null,
  position,
  relation: { id: relation, label: relation, context: '', reverse: false },
  leads_to: 'entity',
  entities: 1,
  facts: 1,
});
const NONE: OptionRecord = { kind: 'none', index: 0, probability: null };
const place = (position: number): OptionRecord => ({ kind: 'answer', index: 0, probability: null, position });

test('a change names the fields that differ, and its inverse brings the draft back', () => {
  expect(changeTo(KITT, { topic: 'en.knight_rider', steps: [...KITT.steps] })).toBeNull();
  const change = changeTo(KITT, { answer: 3, topic: 'en.knight_rider' });
  expect(change).toEqual({ was: { answer: 2 }, now: { answer: 3 } });
  const after = changed(KITT, change ?? { was: {}, now: {} });
  expect(after.answer).toBe(3);
  const back = inverse({ number: 7, was: { answer: 2 }, now: { answer: 3 } });
  expect(back.undoes).toBe(7);
  expect(changed(after, back)).toEqual(KITT);
});

test('moves that wait are on the stacks under the numbers that the log will give them', () => {
  const move = (note: string, undoes: number | null): Move => ({ id: note, was: {}, now: { note }, undoes });
  const saved = { undo: [{ number: 4, was: {}, now: {} }], redo: [{ number: 5, was: {}, now: {} }] };
  const numbers = (waiting: readonly Move[]) => {
    const { undo, redo } = stacksWith(saved, waiting, 5);
    return [undo.map(({ number }) => number), redo.map(({ number }) => number)];
  };
  expect(numbers([])).toEqual([[4], [5]]);
  expect(numbers([move('redo', 5)])).toEqual([[4, 6], []]);
  expect(numbers([move('new', null)])).toEqual([[4, 6], []]);
  expect(numbers([move('new', null), move('undo', 6)])).toEqual([[4], [7]]);
  expect(numbers([move('undo', 4), move('redo', 6)])).toEqual([[7], [5]]);
});

test('decisions are open one after the other', () => {
  expect(openStage(EMPTY)).toBe('link');
  expect(openStage({ ...EMPTY, topic: 'en.a' })).toBe('search');
  expect(openStage({ ...EMPTY, topic: 'en.a', steps_ended: true })).toBe('prune');
  expect(openStage({ ...KITT, answer: null })).toBe('infer');
  expect(openStage(KITT)).toBeNull();
  expect(decidedIn(KITT).map(({ kind }) => kind)).toEqual(
    'topic step step step step steps-ended condition condition conditions-ended answer'.split(' '),
  );
});

test('an option that is taken becomes the next decision of its stage', () => {
  expect(taken(EMPTY, 'search', option(0, 'cast'))).toEqual({ steps: [step(0, 'cast')] });
  expect(taken(EMPTY, 'search', NONE)).toEqual({ steps_ended: true });
  expect(taken(EMPTY, 'prune', NONE)).toEqual({ conditions_ended: true });
  expect(taken(EMPTY, 'infer', place(2))).toEqual({ answer: 2 });
});

test('a step that is taken out takes with it what grew from it, and the others move up', () => {
  expect(removed(KITT, { kind: 'step', number: 0 })).toEqual({
    steps: [step(0, 'genre')],
    steps_ended: false,
    conditions: [condition(1, 'en.drama')],
    answer: null,
    counted: false,
  });
  expect(removed(KITT, { kind: 'step', number: 2 })).toEqual({
    steps: [step(0, 'cast'), step(1, 'actor'), step(0, 'genre')],
    steps_ended: false,
    conditions: [condition(3, 'en.drama')],
    answer: 2,
    counted: false,
  });
  expect(removed(KITT, { kind: 'condition', number: 0 })).toEqual({
    conditions: [condition(4, 'en.drama')],
    conditions_ended: false,
  });
  expect(openStage({ ...KITT, ...removed(KITT, { kind: 'topic' }) })).toBe('link');
});

test('another option in the place of a decision keeps what does not hang on it', () => {
  expect(takenInstead(KITT, { kind: 'step', number: 1 }, option(1, 'episodes'))).toEqual({
    steps: [step(0, 'cast'), step(1, 'episodes'), step(1, 'character'), step(0, 'genre')],
    conditions: KITT.conditions,
    answer: 2,
    counted: false,
  });
  expect(takenInstead(KITT, { kind: 'step', number: 0 }, option(0, 'creator'))).toEqual({
    steps: [step(0, 'creator'), step(0, 'genre')],
    conditions: [condition(2, 'en.drama')],
    answer: null,
    counted: false,
  });
  expect(takenInstead(KITT, { kind: 'steps-ended' }, option(2, 'born'))).toEqual({
    steps_ended: false,
    steps: [...KITT.steps, step(2, 'born')],
  });
  expect(takenInstead(KITT, { kind: 'answer' }, place(3))).toEqual({ answer: 3 });
});

test('the options of the newest node are read first, nothing more last', () => {
  const options = [option(0, 'genre'), option(0, 'cast'), option(1, 'actor'), NONE, option(1, 'character')];
  const words = inReadingOrder(options).map((each) => (each.kind === 'step' ? each.relation.id : each.kind));
  expect(words).toEqual(['actor', 'character', 'genre', 'cast', 'none']);
});

test('what begins with what was typed is found before what only holds it', () => {
  const options = ['winning champion', 'events', 'champion'].map((name) => option(1, name));
  const names = bestFirst(options, ' Champ', EMPTY_STATE).map((each) => each.kind === 'step' && each.relation.label);
  expect(names).toEqual(['champion', 'winning champion', 'events']);
  expect(bestFirst(options, '', EMPTY_STATE)).toEqual(options);
});

test('names of events and of the draft are kept by id, also when neither has them any more', () => {
  const events = recorded('condition').map(({ event }) => event);
  expect(openDecision(events)).toBeNull();
  const nothing = { answers: [], named_terms: [], named_relations: [] };
  const names = namesWith(NO_NAMES, { ...nothing, events });
  const marked = { id: 'en.lone_gunmen', label: 'Lone Gunmen', kind: 'entity' } as const;
  const later = namesWith(names, { ...nothing, events: [], named_terms: [marked] });
  expect(later.terms.get(marked.id)).toEqual(marked);
  const [linked] = events.flatMap((event) => (event.kind === 'entity_linked' ? [event] : []));
  expect(later.terms.get(linked?.topic?.id ?? '')).toEqual(linked?.topic);
  expect(later.relations.size).toBeGreaterThan(3);
});

test('values are the same by what they say', () => {
  expect(same({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBe(true);
  expect(same({ a: 1 }, { b: 1 })).toBe(false);
  expect(toggled([step(0, 'a')], step(0, 'a'))).toEqual([]);
  expect(toggled(['x'], 'y')).toEqual(['x', 'y']);
});

test('a way that is taken makes all of its decisions, and leaves the marks as they are', () => {
  const draft: Draft = { ...KITT, ...NOTHING_DECIDED, marked: ['en.william_daniels'] };
  const way = { topic: 'en.knight_rider', steps: KITT.steps, conditions: KITT.conditions, answer: 2, counted: true };
  const after = changed(draft, changeTo(draft, decidedAs(way)) ?? { was: {}, now: {} });
  expect(openStage(after)).toBeNull();
  expect(after).toEqual({ ...KITT, counted: true, marked: ['en.william_daniels'] });
});

test('to count is a decision of its own, which goes with the place of the answer', () => {
  const counted: Draft = { ...KITT, counted: true };
  expect(decidedIn(counted).at(-1)).toEqual({ kind: 'counted' });
  expect(decidedIn({ ...counted, answer: null }).map(({ kind }) => kind)).not.toContain('counted');
  expect(stageOf({ kind: 'counted' })).toBe('infer');
  expect(numberIn(counted, { kind: 'counted' })).toBe(1);
  expect(removed(counted, { kind: 'counted' })).toEqual({ counted: false });
  expect(removed(counted, { kind: 'answer' })).toEqual({ answer: null, counted: false });
  expect(removed(counted, { kind: 'step', number: 0 })).toMatchObject({ answer: null, counted: false });
});
