import { expect, test } from 'vitest';

import { EMPTY_DRAFT as EMPTY } from './emptyDraft';
import type { Draft } from './labelling';
import { isAgreed, overlayOf, soleSide, takenWhole, withJoint, type Joint } from './sides';

const step = (position: number, relation: string) => ({ kind: 'step', position, relation }) as const;
const condition = (position: number, target: string) =>
  ({ kind: 'constraint', position, operator: '=', target }) as const;

/** Knight Rider ─ cast → B; B ─ actor → C; B ─ character → D, which is KITT; the answer is C. */
const KITT: Draft = {
  ...EMPTY,
  topic: 'knight_rider',
  steps: [step(0, 'cast'), step(1, 'actor'), step(1, 'character')],
  steps_ended: true,
  conditions: [condition(3, 'kitt')],
  conditions_ended: true,
  answer: 2,
};
/** The same, in another order. */
const TURNED: Draft = {
  ...KITT,
  steps: [step(0, 'cast'), step(1, 'character'), step(1, 'actor')],
  conditions: [condition(2, 'kitt')],
  answer: 3,
};
/** The cast's actors and when they were born; no condition, and the dates answer. */
const BORN: Draft = {
  ...KITT,
  steps: [step(0, 'cast'), step(1, 'actor'), step(2, 'born')],
  conditions: [],
  answer: 3,
};

const words = (joint: Joint): string => {
  switch (joint.kind) {
    case 'says':
      return joint.of.kind;
    case 'topic':
      return joint.topic;
    case 'step':
      return `${joint.step.position}-${joint.step.relation}`;
    case 'condition':
      return `${joint.condition.position}=${joint.condition.target}`;
    case 'answer':
      return `?${joint.place}`;
  }
};
const described = (drafts: readonly Draft[]) =>
  overlayOf(drafts).joints.map((joint) => `${words(joint)}: ${[...joint.by].join(' ')}`);
const found = (drafts: readonly Draft[], wanted: string): Joint => {
  const joint = overlayOf(drafts).joints.find((each) => words(each) === wanted);
  if (!joint) throw new Error(`no ${wanted} in ${described(drafts).join(', ')}`);
  return joint;
};

test('labels that decide the same in another order agree about everything', () => {
  const drafts = [KITT, TURNED, KITT];
  const { joints, steps } = overlayOf(drafts);
  expect(steps).toEqual(KITT.steps);
  expect(joints.every((joint) => isAgreed(joint, 2))).toBe(true);
});

test('each decision lists the labels that have it', () => {
  expect(described([KITT, BORN, KITT])).toEqual([
    'derivation: 0 1 2',
    'knight_rider: 0 1 2',
    '0-cast: 0 1 2',
    '1-actor: 0 1 2',
    '1-character: 0 2',
    '2-born: 1',
    '3=kitt: 0 2',
    '?2: 0 2',
    '?4: 1',
  ]);
  expect(soleSide(found([KITT, BORN, KITT], '2-born'), 2)).toBe(1);
  expect(soleSide(found([KITT, BORN, KITT], '0-cast'), 2)).toBeNull();
});

test('the same relation taken twice from one place is two places', () => {
  const twice: Draft = { ...EMPTY, topic: 'x', steps: [step(0, 'child'), step(0, 'child')], answer: 2 };
  const once: Draft = { ...EMPTY, topic: 'x', steps: [step(0, 'child')], answer: 1 };
  expect(described([twice, once, once])).toEqual([
    'derivation: 0 1 2',
    'x: 0 1 2',
    '0-child: 0 1 2',
    '0-child: 0',
    '?2: 0',
    '?1: 1 2',
  ]);
});

test('a decision that is accepted brings what it stands on, numbered as what is accepted numbers it', () => {
  const drafts = [TURNED, BORN, BORN];
  const overlay = overlayOf(drafts);
  expect(withJoint(BORN, overlay, found(drafts, '2=kitt'), true)).toEqual({
    steps: [...BORN.steps, step(1, 'character')],
    conditions: [condition(4, 'kitt')],
  });
  expect(withJoint(BORN, overlay, found(drafts, '?3'), true)).toEqual({ steps: BORN.steps, answer: 2, counted: false });
});

test('a decision that is not accepted takes along what grew from it', () => {
  const drafts = [KITT, BORN, BORN];
  expect(withJoint(BORN, overlayOf(drafts), found(drafts, '1-actor'), false)).toEqual({
    steps: [step(0, 'cast')],
    conditions: [],
    answer: null,
    counted: false,
    steps_ended: true,
  });
  expect(withJoint(KITT, overlayOf([KITT, BORN, KITT]), found([KITT, BORN, KITT], '3=kitt'), false)).toEqual({
    conditions: [],
  });
});

test('what is accepted already, or is not, stays as it is', () => {
  const drafts = [KITT, BORN, KITT];
  expect(withJoint(KITT, overlayOf(drafts), found(drafts, '1-character'), true)).toEqual({});
  expect(withJoint(KITT, overlayOf(drafts), found(drafts, '2-born'), false)).toEqual({});
});

test('a label with another topic shares nothing but what it says, and is taken with all that it derives', () => {
  const other: Draft = { ...BORN, topic: 'kitt' };
  const drafts = [KITT, other, KITT];
  expect(described(drafts)).toContain('kitt: 1');
  expect(described(drafts).filter((each) => /-born/.test(each))).toEqual([]);
  expect(withJoint(KITT, overlayOf(drafts), found(drafts, 'kitt'), true)).toMatchObject({
    topic: 'kitt',
    steps: BORN.steps,
    answer: 3,
  });
});

test('labels of several kinds differ in what they say; marks of a derivation do not', () => {
  const unanswerable: Draft = { ...EMPTY, kind: 'unanswerable', missing: { what: 'fact', note: '' } };
  const drafts = [{ ...KITT, marked: ['daniels'] }, unanswerable, KITT];
  expect(described(drafts).slice(0, 2)).toEqual(['derivation: 0 2', 'unanswerable: 1']);
  expect(withJoint(KITT, overlayOf(drafts), found(drafts, 'unanswerable'), true)).toMatchObject({
    kind: 'unanswerable',
    missing: { what: 'fact' },
  });
});

test('one place that is counted and one that is not are two decisions', () => {
  const counted: Draft = { ...KITT, counted: true };
  const drafts = [KITT, counted, KITT];
  const { joints } = overlayOf(drafts);
  const answers = joints.filter((joint) => joint.kind === 'answer');
  expect(answers.map((joint) => [joint.counted, [...joint.by]])).toEqual([
    [false, [0, 2]],
    [true, [1]],
  ]);
  const [, other] = answers;
  if (!other) throw new Error('there is one joint');
  expect(withJoint(KITT, overlayOf(drafts), other, true)).toMatchObject({ answer: KITT.answer, counted: true });
});

test('a label is taken whole, but for its note', () => {
  const whole = takenWhole({ ...BORN, note: 'mine', flagged: true });
  expect(whole).toMatchObject({ steps: BORN.steps, answer: 3, conditions: [] });
  expect(Object.keys(whole)).not.toContain('note');
  expect(Object.keys(whole)).not.toContain('flagged');
});
