import { expect, test } from 'vitest';

import { NOTHING_PLACED, placed } from '../core/placement';
import { recorded } from '../core/recorded';
import { fold } from '../core/run';
import { markedBy, rowsOf, sceneOf } from './scene';

const state = fold(recorded('condition'));
const facts = state.facts.map((fact) => ({ fact, removed: state.removed.has(fact.id) }));
const placement = placed(NOTHING_PLACED, state, new Map());
const end = state.end?.kind === 'finished' ? state.end : null;
const proof = new Set(end?.answers[0]?.path.map(({ id }) => id));

test('the scene holds every fact, and every term in its place', () => {
  const scene = sceneOf(state, facts, placement, proof, null);
  expect(scene.facts).toHaveLength(state.facts.length);
  const keys = new Set(scene.terms.map(({ key }) => key));
  for (const { source, target } of scene.facts) expect(keys.has(source) && keys.has(target)).toBe(true);
  for (const { key, at } of scene.terms) expect(at).toEqual(placement.points.get(key as `${number}:${string}`));
  expect(scene.terms.filter(({ centre }) => centre).map(({ label }) => label)).toEqual(['Knight Rider']);
  expect(scene.facts.filter(({ highlighted }) => highlighted)).toHaveLength(proof.size);
});

test('a marked position marks its terms; a marked term is in focus too', () => {
  const group = sceneOf(state, facts, placement, proof, '2');
  expect(group.marked.size).toBe(group.terms.filter((term) => term.group === 2).length);
  expect(group.focus).toBeNull();
  const key = group.terms.find((term) => term.group === 2)?.key ?? '';
  const one = sceneOf(state, facts, placement, proof, key);
  expect([...one.marked]).toEqual([key]);
  expect(one.focus).toBe(key);
});

test('a previewed option marks the node that it would grow from, whatever is pointed at', () => {
  const option = { kind: 'answer', index: 0, probability: 1, position: 3 } as const;
  expect(markedBy(option, '2:en.kitt')).toBe('3');
  expect(markedBy({ kind: 'none', index: 0, probability: 1 }, '2')).toBe('2');
  expect(markedBy(null, null)).toBeNull();
});

test('what is printed hides nothing; the name of a row keeps every character', () => {
  const hidden = facts.map(({ fact, removed }) => ({
    fact: {
      ...fact,
      relation: { ...fact.relation, label: 'None' },
      target: { ...fact.target, kind: 'entity', label: 'KI\u202ETT' } as const,
    },
    removed,
  }));
  expect(new Set(sceneOf(state, hidden, placement, proof, null).facts.map(({ label }) => label))).toEqual(
    new Set(['“None”']),
  );
  const targets = rowsOf(state, hidden, proof).map(({ target }) => `${target.label} ${target.name}`);
  expect(new Set(targets)).toEqual(new Set(['KI⟨U+202E⟩TT KI\u202ETT']));
});

test('a row says why its fact was taken out, or that it proves the answer', () => {
  const rows = rowsOf(state, facts, proof);
  const notes = new Set(rows.filter(({ removed }) => removed).map(({ note }) => note));
  expect(notes).toContain('fails the condition');
  expect(rows.filter(({ note }) => note === 'proves the answer')).toHaveLength(proof.size);
});
