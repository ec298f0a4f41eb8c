import { expect, test } from 'vitest';

import { NOTHING_PLACED, placed } from './placement';
import { RECORDED, recorded } from '../events/recorded';
import { fold, sourceOf, targetOf } from '../events/run';

const NONE_FETCHED = new Map();

test.each([...RECORDED])('in the run %s every term has a place, and grew from another', (_, events) => {
  const state = fold(events);
  const { points, origins } = placed(NOTHING_PLACED, state, NONE_FETCHED);
  for (const fact of state.facts) {
    expect(points.has(targetOf(fact))).toBe(true);
    expect(points.has(sourceOf(state, fact))).toBe(true);
    expect(points.has(origins.get(targetOf(fact)) ?? '0:')).toBe(true);
  }
});

test('whether events come one by one or all at once, terms stand in the same places', () => {
  const events = recorded('two_conditions');
  let watched = NOTHING_PLACED;
  events.forEach((_, index) => {
    const before = watched;
    watched = placed(watched, fold(events.slice(0, index + 1)), NONE_FETCHED);
    for (const [place, point] of before.points) expect(watched.points.get(place)).toEqual(point);
  });
  expect(watched).toEqual(placed(NOTHING_PLACED, fold(events), NONE_FETCHED));
});

test('facts that are fetched later get places of their own, and the given placement stays as it is', () => {
  const state = fold(recorded('condition'));
  const before = placed(NOTHING_PLACED, state, NONE_FETCHED);
  const size = before.points.size;
  const like = state.facts.find(({ position }) => position === 2);
  if (!like) throw new Error('nothing stands at position 2');
  const fresh = { ...like, id: 9_999, target: { ...like.target, id: 'en.somebody_else' } };
  const after = placed(before, state, new Map([[2, [fresh]]]));
  expect(after.points.size).toBe(size + 1);
  expect(after.origins.get(targetOf(fresh))).toBe(sourceOf(state, fresh));
  expect(before.points.size).toBe(size);
});
