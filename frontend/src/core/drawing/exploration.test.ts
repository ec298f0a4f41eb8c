import { expect, test } from 'vitest';

import type { RelationRecord, TermRecord } from '../../api/types';
import {
  Doing,
  EMPTY,
  collapse,
  done,
  drawFacts,
  followedKey,
  hangingOn,
  inverse,
  kept,
  removeNodes,
  replaceAll,
  restored,
  type Action,
  type ReadFact,
  type Tables,
} from './exploration';

const thing = (id: string): TermRecord => ({ id, label: id, kind: 'entity' });
const actor: RelationRecord = { id: 'film.actor', label: 'actor', context: 'film', reverse: false };

function fact(source: string, target: TermRecord, relation = actor): ReadFact {
  return { key: `${source} ${relation.id.replace('^', '')} ${target.id}`, source: thing(source), relation, target };
}

function drawn(tables: Tables, ...facts: readonly ReadFact[]): Tables {
  const doing = new Doing(tables);
  drawFacts(doing, facts, {});
  const action = doing.action('draw');
  return action ? done(tables, action) : tables;
}

const KITT = drawn(EMPTY, fact('Knight Rider', thing('Hasselhoff')), fact('Knight Rider', thing('Daniels')));

test('facts are drawn with their ends, each once, whichever way they were read', () => {
  expect([...KITT.nodes.keys()]).toEqual(['Knight Rider', 'Hasselhoff', 'Daniels']);
  expect(KITT.origins.get('Daniels')).toBe('Knight Rider');
  const backwards: ReadFact = {
    key: 'Knight Rider film.actor Daniels',
    source: thing('Daniels'),
    relation: { ...actor, id: '^film.actor', reverse: true },
    target: thing('Knight Rider'),
  };
  expect(drawn(KITT, backwards)).toBe(KITT);
  const [only] = drawn(EMPTY, backwards).facts.values();
  expect(only).toEqual({ source: 'Knight Rider', relation: actor, target: 'Daniels' });
});

test('values of two things are two nodes, though they are equal', () => {
  const year: TermRecord = { id: '"1999"', label: '1999', kind: 'date' };
  const films = drawn(EMPTY, fact('Matrix', year), fact('Notting Hill', year));
  expect(films.nodes.size).toBe(4);
});

test('what is removed takes its facts along, and how far it was followed', () => {
  const doing = new Doing(KITT);
  doing.set('followed', followedKey('Knight Rider', 'film.actor'), { shown: 2, total: 2, next: null });
  const followed = done(KITT, doing.action('follow') as Action);
  const removing = new Doing(followed);
  removeNodes(removing, followed, ['Knight Rider']);
  const left = done(followed, removing.action('remove') as Action);
  expect([...left.nodes.keys()]).toEqual(['Hasselhoff', 'Daniels']);
  expect(left.facts.size + left.followed.size + left.origins.size).toBe(0);
});

test('folding a node up takes the nodes that only it connects, and none that is pinned, noted or joined elsewhere', () => {
  let tables = drawn(KITT, fact('Knight Rider', thing('McPherson')), fact('Airwolf', thing('Daniels')));
  const doing = new Doing(tables);
  doing.set('pinned', 'McPherson', true);
  tables = done(tables, doing.action('pin') as Action);
  expect(hangingOn(tables, 'Knight Rider')).toEqual(['Hasselhoff']);
  const folding = new Doing(tables);
  collapse(folding, tables, 'Knight Rider');
  expect([...done(tables, folding.action('fold') as Action).nodes.keys()]).toEqual([
    'Knight Rider',
    'Daniels',
    'McPherson',
    'Airwolf',
  ]);
});

test('what changes nothing is no action', () => {
  const doing = new Doing(KITT);
  doing.set('pinned', 'Daniels', true);
  doing.set('pinned', 'Daniels', undefined);
  drawFacts(doing, [fact('Knight Rider', thing('Daniels'))], {});
  expect(doing.action('nothing')).toBeNull();
});

/** A number from 0 to less than 1, the same for the same seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function anyAction(tables: Tables, draw: () => number): Action | null {
  const doing = new Doing(tables);
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(draw() * from.length)];
  const name = () => `thing ${Math.floor(draw() * 12)}`;
  const node = pick([...tables.nodes.keys()]) ?? name();
  switch (Math.floor(draw() * 8)) {
    case 0:
    case 1:
    case 2:
      drawFacts(doing, [fact(name(), thing(name())), fact(node, thing(name()))], {});
      break;
    case 3:
      removeNodes(doing, tables, [node]);
      break;
    case 4:
      collapse(doing, tables, node);
      break;
    case 5:
      doing.set('places', node, { x: draw(), y: draw() });
      doing.set('pinned', node, tables.pinned.has(node) ? undefined : true);
      break;
    case 6:
      doing.set('hidden', 'kind:film', tables.hidden.has('kind:film') ? undefined : true);
      break;
    default:
      doing.set('notes', node, `a note ${Math.floor(draw() * 3)}`);
  }
  return doing.action('something');
}

const plain = (tables: Tables) => JSON.stringify(kept(tables, [], null), (_, value: unknown) => value);
const sortedPlain = (tables: Tables) =>
  JSON.stringify(
    Object.values(tables).map((table) =>
      [...(table as ReadonlyMap<string, unknown>)].sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  );

test('after any actions, undoing all gives the empty canvas and redoing all gives the last one', () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const draw = chance(seed);
    let tables = EMPTY;
    const taken: Action[] = [];
    for (let step = 0; step < 25; step += 1) {
      const action = anyAction(tables, draw);
      if (!action) continue;
      tables = done(tables, action);
      taken.push(action);
    }
    const last = sortedPlain(tables);
    for (const { source, target } of tables.facts.values()) {
      expect(tables.nodes.has(source) && tables.nodes.has(target)).toBe(true);
    }
    const undone = taken.toReversed().reduce((state, action) => done(state, inverse(action)), tables);
    expect(plain(undone)).toBe(plain(EMPTY));
    expect(sortedPlain(taken.reduce(done, undone))).toBe(last);
  }
});

test('a drawing that is kept comes back, and what is none of ours does not', () => {
  const content: unknown = JSON.parse(JSON.stringify(kept(KITT, ['Daniels', 'unknown'], { ratio: 2 })));
  const back = restored(content);
  expect(back?.tables).toEqual(KITT);
  expect([...(back?.chosen ?? [])]).toEqual(['Daniels']);
  expect(back?.sight).toEqual({ ratio: 2 });
  const broken = structuredClone(content) as { tables: { nodes: unknown[] } };
  broken.tables.nodes.pop();
  for (const other of [null, 7, [], {}, { form: 2 }, { form: 1, tables: { nodes: 3 } }, broken]) {
    expect(restored(other)).toBeNull();
  }
});

test('what is put in the place of a drawing is all that is drawn, and undo brings the drawing back', () => {
  const draw = chance(7);
  let other = EMPTY;
  for (let step = 0; step < 30; step += 1) {
    const action = anyAction(other, draw);
    if (action) other = done(other, action);
  }
  for (const [one, two] of [
    [KITT, other],
    [other, KITT],
    [KITT, EMPTY],
  ] as const) {
    const doing = new Doing(one);
    replaceAll(doing, one, two);
    const action = doing.action('replaced') as Action;
    expect(sortedPlain(done(one, action))).toBe(sortedPlain(two));
    expect(sortedPlain(done(done(one, action), inverse(action)))).toBe(sortedPlain(one));
  }
});
