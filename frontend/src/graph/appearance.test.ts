import { expect, test } from 'vitest';

import { Looks, mixed, translucent, type Colours } from './appearance';
import type { Scene, SceneFact, SceneTerm } from './scene';

const COLOURS: Colours = {
  surface: '#ffffff',
  ink: '#1b1c20',
  quiet: '#62656f',
  line: '#b6b9c4',
  accent: '#5b5bd6',
  gold: '#b57a00',
  side: () => '#006773',
  node: () => '#0072b2',
  letter: () => '#ffffff',
};
const PANE = { width: 700, height: 340 };

function hub(size: number, change: Partial<Scene> = {}): Scene {
  const term = (key: string, centre: boolean): SceneTerm => ({
    key,
    group: centre ? 0 : 1,
    label: key,
    hollow: false,
    centre,
    origin: centre ? undefined : '0:hub',
    at: { x: 0, y: 0 },
    removed: false,
    pinned: false,
  });
  const keys = Array.from({ length: size }, (_, index) => `1:${index}`);
  return {
    terms: [term('0:hub', true), ...keys.map((key) => term(key, false))],
    facts: keys.map((target, id): SceneFact => ({
      id,
      source: '0:hub',
      target,
      label: 'language',
      reverse: false,
      removed: false,
      highlighted: false,
    })),
    marked: new Set(),
    gold: new Set(),
    focus: null,
    path: new Set(),
    extent: [],
    ...change,
  };
}

function first(scene: Scene) {
  const fact = scene.facts[0];
  if (!fact) throw new Error('no fact');
  return new Looks(scene, COLOURS, PANE).fact(fact);
}

test('the more facts meet at a hub, the thinner and the more translucent are its lines', () => {
  const looks = [5, 50, 500, 4000].map((size) => first(hub(size)));
  for (const [index, look] of looks.entries()) {
    const before = looks[index - 1];
    if (!before) continue;
    expect(look.width).toBeLessThanOrEqual(before.width);
    expect(look.alpha).toBeLessThan(before.alpha);
  }
  expect(looks[0]).toMatchObject({ alpha: 1, width: 1.9 });
  expect(looks[3]?.width).toBeLessThan(1);
});

test('the lines of a hub under the pointer bear no names and stay translucent; those of a term with few are named', () => {
  const chosen = { focus: '0:hub', marked: new Set(['0:hub']) };
  const crowd = first(hub(1000, chosen));
  expect(crowd.label).toBe('');
  expect(crowd.alpha).toBeLessThan(0.15);
  expect(first(hub(6, chosen))).toMatchObject({ label: 'language', alpha: 1, colour: COLOURS.ink });
});

test('the path to the chosen term is in front, and the rest stands back', () => {
  const scene = hub(40, { focus: '1:3', marked: new Set(['1:3']), path: new Set([3]) });
  const looks = new Looks(scene, COLOURS, PANE);
  const facts = scene.facts.map((fact) => looks.fact(fact));
  expect(facts[3]).toMatchObject({ front: true, colour: COLOURS.accent, alpha: 1 });
  expect(facts.filter(({ front }) => front)).toHaveLength(1);
  expect(facts[4]?.alpha).toBeLessThan(first(hub(40)).alpha);
  const terms = scene.terms.map((term) => looks.term(term));
  expect(terms.filter(({ front }) => front).map(({ label }) => label)).toEqual(['0:hub', '1:3']);
  expect(terms[1]?.fill).not.toBe(terms[4]?.fill);
});

test('a term of a vast scene is as small as there is room for', () => {
  const radius = (size: number) => {
    const scene = hub(size);
    const term = scene.terms[1];
    return term ? new Looks(scene, COLOURS, PANE).term(term).radius : 0;
  };
  expect(radius(20)).toBe(9);
  expect(radius(1000)).toBeLessThan(4.6);
  expect(radius(50_000)).toBeLessThan(1.5);
});

test('colours are mixed by parts; a translucent one keeps its share of light', () => {
  expect(mixed('#000000', '#ffffff', 0.5)).toBe('#808080');
  // What builds the style sheets shortens colours.
  expect(mixed('#000', '#fff', 0.5)).toBe('#808080');
  expect(translucent('#ff8000', 0.5)).toBe('rgba(128,64,0,0.5)');
  expect(translucent('#ff8000', 1)).toBe('#ff8000');
});
