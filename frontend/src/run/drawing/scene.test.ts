import { expect, test } from 'vitest';

import { NOTHING_PLACED, placed } from '../../core/drawing/placement';
import { recorded } from '../../core/events/recorded';
import { fold } from '../../core/events/run';
import { TAKEN_OUT } from '../../core/drawing/view';
import { legendOf, markedBy, rowsOf, rowsWithoutHidden, sceneOf, withoutHidden } from './scene';

const state = fold(recorded('condition'));
const facts = state.facts.map((fact) => ({ fact, removed: state.removed.has(fact.id) }));
const placement = placed(NOTHING_PLACED, state, new Map());
const end = state.end?.kind === 'finished' ? state.end : null;
const NO_PINS = new Map();
const proof = new Set(end?.answers[0]?.path.map(({ id }) => id));

test('the scene holds every fact, and every term in its place', () => {
  const scene = sceneOf(state, facts, placement, proof, null, NO_PINS);
  expect(scene.facts).toHaveLength(state.facts.length);
  const keys = new Set(scene.terms.map(({ key }) => key));
  for (const { source, target } of scene.facts) expect(keys.has(source) && keys.has(target)).toBe(true);
  for (const { key, at } of scene.terms) expect(at).toEqual(placement.points.get(key as `${number}:${string}`));
  expect(scene.terms.filter(({ centre }) => centre).map(({ label }) => label)).toEqual(['Knight Rider']);
  expect(scene.facts.filter(({ highlighted }) => highlighted)).toHaveLength(proof.size);
});

test('a marked position marks its terms; a marked term is in focus too', () => {
  const group = sceneOf(state, facts, placement, proof, '2', NO_PINS);
  expect(group.marked.size).toBe(group.terms.filter((term) => term.group === 2).length);
  expect(group.focus).toBeNull();
  const key = group.terms.find((term) => term.group === 2)?.key ?? '';
  const one = sceneOf(state, facts, placement, proof, key, NO_PINS);
  expect([...one.marked]).toEqual([key]);
  expect(one.focus).toBe(key);
});

test('a marked answer has a ring at every node, and its rows say so', () => {
  const id = facts.find(({ fact }) => fact.position === 2)?.fact.target.id ?? '';
  const scene = sceneOf(state, facts, placement, proof, null, NO_PINS, new Set([id, 'en.nowhere']));
  const places = [...scene.gold];
  expect(places.length).toBeGreaterThan(0);
  expect(places.every((key) => key.endsWith(`:${id}`))).toBe(true);
  expect([...withoutHidden(scene, new Set(['2'])).gold].some((key) => key.startsWith('2:'))).toBe(false);
  const noted = rowsOf(state, facts, proof, new Set([id])).filter(({ note }) => note.includes('a marked answer'));
  expect(noted.map(({ target }) => target.id)).toEqual(facts.filter(({ fact }) => fact.target.id === id).map(() => id));
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
  expect(new Set(sceneOf(state, hidden, placement, proof, null, NO_PINS).facts.map(({ label }) => label))).toEqual(
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

test('rows that prove the answer come first, the rest as they were found', () => {
  const rows = rowsOf(state, facts, proof);
  expect(rows.slice(0, proof.size).every(({ highlighted }) => highlighted)).toBe(true);
  const rest = rows.slice(proof.size).map(({ id }) => id);
  expect(rest).toEqual(facts.map(({ fact }) => fact.id).filter((id) => !proof.has(id)));
});

test('what a mediator joins describes it: where it leads to, or else where it comes from', () => {
  const hollow = rowsOf(state, facts, proof)
    .flatMap(({ source, target }) => [source, target])
    .filter((end) => end.hollow);
  expect(hollow.map(({ label }) => label)).toContain('joins William Daniels, KITT');
  const unread = facts.filter(({ fact }) => fact.target.kind === 'mediator');
  expect(new Set(rowsOf(state, unread, proof).map(({ target }) => target.label))).toEqual(
    new Set(['joins Knight Rider']),
  );
});

test('the path to a term in focus leads back to the topic, fact by fact', () => {
  const last = [...facts].reverse().find(({ fact }) => proof.has(fact.id));
  if (!last) throw new Error('nothing is proven');
  const scene = sceneOf(state, facts, placement, proof, `${last.fact.position}:${last.fact.target.id}`, NO_PINS);
  for (const id of scene.path) {
    const fact = scene.facts.find((each) => each.id === id);
    const before = scene.facts.some((each) => scene.path.has(each.id) && each.target === fact?.source);
    expect(before || fact?.source.startsWith('0:')).toBe(true);
  }
  expect(scene.path.has(last.fact.id)).toBe(true);
  expect([...scene.path].some((id) => state.removed.has(id))).toBe(false);
});

test('what is hidden is gone from drawing and table, is still counted, and moves nothing', () => {
  const scene = sceneOf(state, facts, placement, proof, null, NO_PINS);
  const hidden = new Set(['2', TAKEN_OUT]);
  const left = withoutHidden(scene, hidden);
  expect(left.terms.some(({ group, removed }) => group === 2 || removed)).toBe(false);
  const keys = new Set(left.terms.map(({ key }) => key));
  expect(left.facts.every(({ source, target, removed }) => keys.has(source) && keys.has(target) && !removed)).toBe(
    true,
  );
  expect(left.extent).toEqual(scene.extent);
  const legend = legendOf(state, scene, hidden);
  expect(legend.filter((entry) => entry.hidden).map(({ key }) => key)).toEqual(['2', TAKEN_OUT]);
  expect(legend.find(({ key }) => key === TAKEN_OUT)?.count).toBe(facts.filter(({ removed }) => removed).length);
  const rows = rowsWithoutHidden(rowsOf(state, facts, proof), hidden);
  expect(rows.length).toBe(left.facts.length);
});

test('a pinned term stands where it was put, and no other moves', () => {
  const before = sceneOf(state, facts, placement, proof, null, NO_PINS);
  const key = before.terms[3]?.key ?? '';
  const after = sceneOf(state, facts, placement, proof, null, new Map([[key, { x: 9, y: -4 }]]));
  for (const [index, term] of after.terms.entries()) {
    expect(term.at).toEqual(term.key === key ? { x: 9, y: -4 } : before.terms[index]?.at);
    expect(term.pinned).toBe(term.key === key);
  }
});
