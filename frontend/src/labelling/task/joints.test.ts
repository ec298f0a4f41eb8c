import { expect, test } from 'vitest';

import { EMPTY_DRAFT } from '../../core/labels/emptyDraft';
import { NO_NAMES, type Draft, type Names } from '../../core/labels/labelling';
import { overlayOf } from '../../core/labels/sides';
import { jointWords, placesOf } from './joints';

const KITT: Draft = {
  ...EMPTY_DRAFT,
  topic: 'm.1',
  steps: [
    { kind: 'step', position: 0, relation: 'tv.tv_program.regular_cast' },
    { kind: 'step', position: 1, relation: '^tv.tv_actor.starring_roles' },
  ],
  conditions: [{ kind: 'constraint', position: 2, operator: '=', target: 'm.2' }],
  answer: 1,
  marked: ['m.2'],
};
const NAMES: Names = {
  relations: new Map([
    ['tv.tv_program.regular_cast', { id: 'tv.tv_program.regular_cast', label: 'cast', context: '', reverse: false }],
  ]),
  terms: new Map([
    ['m.1', { id: 'm.1', label: 'Knight Rider', kind: 'entity' }],
    ['m.2', { id: 'm.2', label: 'KITT', kind: 'entity' }],
  ]),
};

const words = (draft: Draft, names: Names) => {
  const overlay = overlayOf([draft]);
  return overlay.joints.map((joint) => jointWords(joint, placesOf(overlay, names), names));
};

test('decisions are named without a run', () => {
  expect(words(KITT, NAMES)).toEqual([
    'A derivation',
    'Knight Rider',
    'cast',
    '◂ starring roles',
    'starring roles is KITT',
    'cast',
  ]);
});

test('an entity without a known name is shown by its id', () => {
  expect(words(KITT, NO_NAMES)).toEqual([
    'A derivation',
    'm.1',
    'regular cast',
    '◂ starring roles',
    'starring roles is m.2',
    'regular cast',
  ]);
});

test('a label without a derivation is shown with its kind', () => {
  const says = (draft: Partial<Draft>) => words({ ...EMPTY_DRAFT, marked: KITT.marked, ...draft }, NAMES)[0];
  expect(says({ kind: 'answers' })).toBe('Answers alone: KITT');
  expect(says({ kind: 'unanswerable', missing: { what: 'fact', note: '' } })).toBe(
    'Cannot be answered here: missing in the graph: the fact',
  );
  expect(says({ kind: 'reword', rewording: 'who is \u202Eit?' })).toBe('To be reworded: who is ⟨U+202E⟩it?');
  expect(says({ kind: 'benchmark', benchmark: 'outdated' })).toBe('The benchmark is wrong: outdated');
});
