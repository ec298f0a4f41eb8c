import { expect, test } from 'vitest';

import type { TermRecord } from '../api/types';
import {
  Doing,
  EMPTY,
  done,
  drawFacts,
  hiddenKind,
  hiddenRelation,
  placeFresh,
  type Action,
  type Tables,
} from '../core/drawing/exploration';
import { arranged } from './arrange';
import { Numbers, foldedKey, nodeWords, shownOf } from './scene';

const thing = (id: string, kind: TermRecord['kind'] = 'entity'): TermRecord => ({ id, label: id, kind });
const relation = (id: string) => ({ id, label: id, context: '', reverse: false });
const FILM = { id: 'film.film', label: 'film' };
const PERSON = { id: 'people.person', label: 'person' };
const NOTHING = { chosen: new Set<string>(), pointed: null, lit: new Set<string>() };

function changed(tables: Tables, change: (doing: Doing) => void): Tables {
  const doing = new Doing(tables);
  change(doing);
  return done(tables, doing.action('change') as Action);
}

const HANKS = changed(EMPTY, (doing) => {
  const facts = [1, 2, 3].map((turn) => ({
    key: `fact ${turn}`,
    source: thing('Hanks'),
    relation: relation('acts in'),
    target: thing(`film ${turn}`),
  }));
  const born = {
    key: 'born',
    source: thing('Hanks'),
    relation: relation('born'),
    target: { ...thing('"1956"', 'date'), label: '1956' },
  };
  const part = {
    key: 'part',
    source: thing('mediator', 'mediator'),
    relation: relation('actor'),
    target: thing('Hanks'),
  };
  const kinds = { Hanks: PERSON, 'film 1': FILM, 'film 2': FILM, 'film 3': FILM };
  placeFresh(doing, EMPTY, drawFacts(doing, [...facts, born, part], kinds));
});

test('all that is drawn has a place, a kind and a row', () => {
  const { scene, rows, legend } = shownOf(HANKS, NOTHING, new Numbers());
  expect(scene.terms.map(({ label }) => label)).toEqual(['Hanks', 'film 1', 'film 2', 'film 3', '1956', 'mediator']);
  expect(legend.map(({ label, count }) => [label, count])).toEqual([
    ['person', 1],
    ['film', 3],
    ['date', 1],
    ['mediator', 1],
  ]);
  expect(rows).toHaveLength(5);
  expect(new Set(scene.terms.map(({ at }) => `${at.x} ${at.y}`)).size).toBe(6);
  expect(rows.at(-1)?.source.label).toBe('joins Hanks');
});

test('what is hidden is counted, and takes its facts along', () => {
  const hidden = changed(HANKS, (doing) => doing.set('hidden', hiddenKind(FILM.id), true));
  const { scene, rows, hiddenFacts, hiddenNodes } = shownOf(hidden, NOTHING, new Numbers());
  expect([scene.terms.length, rows.length, hiddenFacts, hiddenNodes]).toEqual([3, 2, 3, 3]);
  const without = changed(HANKS, (doing) => doing.set('hidden', hiddenRelation('acts in'), true));
  const shown = shownOf(without, NOTHING, new Numbers());
  expect([shown.scene.terms.length, shown.hiddenFacts]).toEqual([6, 3]);
});

test('things of a folded kind are one node, with one line for each relation', () => {
  const folded = changed(HANKS, (doing) => doing.set('folded', FILM.id, true));
  const { scene, rows } = shownOf(folded, { ...NOTHING, chosen: new Set(['film 2']) }, new Numbers());
  expect(scene.terms.map(({ label }) => label)).toContain('film: 3');
  expect(scene.facts.filter(({ target }) => target === foldedKey(FILM.id))).toHaveLength(1);
  expect([...scene.marked]).toEqual([foldedKey(FILM.id)]);
  expect(rows).toHaveLength(5);
});

test('a fact keeps its number while others come and go', () => {
  const numbers = new Numbers();
  const before = shownOf(HANKS, NOTHING, numbers).rows.map(({ id, relation: { id: by }, target }) => [
    id,
    by,
    target.id,
  ]);
  const fewer = changed(HANKS, (doing) => doing.set('facts', 'fact 1', undefined));
  const after = shownOf(fewer, NOTHING, numbers).rows.map(({ id, relation: { id: by }, target }) => [
    id,
    by,
    target.id,
  ]);
  expect(before).toEqual(expect.arrayContaining(after));
});

test.each(['force', 'tree', 'kinds'] as const)(
  'arranged by %s, each has a place of its own, and pinned ones stay',
  (by) => {
    const pinned = changed(HANKS, (doing) => doing.set('pinned', 'Hanks', true));
    const places = arranged(pinned, by);
    expect([...places.keys()].sort()).toEqual([...HANKS.nodes.keys()].filter((key) => key !== 'Hanks').sort());
    expect([...places.values()].every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
    expect(new Set([...places.values()].map(({ x, y }) => `${Math.round(x * 100)} ${Math.round(y * 100)}`)).size).toBe(
      places.size,
    );
    expect(arranged(EMPTY, by).size).toBe(0);
  },
);

test('a mediator is called by what it joins, by its kind, or a link', () => {
  expect(nodeWords(HANKS, 'mediator')).toBe('mediator between Hanks');
  const alone = (kind: typeof FILM | null) =>
    changed(EMPTY, (doing) => doing.set('nodes', 'mediator', { term: thing('link', 'mediator'), kind }));
  expect(nodeWords(alone({ id: 'film.performance', label: 'performance' }), 'mediator')).toBe('performance');
  expect(nodeWords(alone(null), 'mediator')).toBe('a mediator');
});

test('between several chosen things the way that was found stands out, around one its own facts do', () => {
  const lit = new Set(['fact 1']);
  const numbers = new Numbers();
  const pathOf = (chosen: readonly string[]) =>
    shownOf(HANKS, { ...NOTHING, chosen: new Set(chosen), lit }, numbers).scene.path;
  expect([...pathOf(['Hanks', 'film 1'])]).toEqual([numbers.of('fact 1')]);
  expect(pathOf(['Hanks']).size).toBe(0);
});
