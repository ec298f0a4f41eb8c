import { describe, expect, test } from 'vitest';

import type { OptionRecord } from '../../api/types';
import {
  aboutInstead,
  bearersOf,
  choiceOf,
  conditionAdded,
  dropped,
  goesOnWith,
  insteadOf,
  literalTyped,
  nowTyped,
  numberOf,
  stepOfDecision,
  operatorsOf,
  stoppedAfter,
  targetKind,
  treeRows,
  usualLater,
} from './changes';
import { matching, withEvery } from '../labels/pool';
import { recorded } from './recorded';
import { fold } from './run';
import { momentsOf } from './timeline';

const EVENTS = recorded('condition');
const MOMENTS = momentsOf(EVENTS);
const WHOLE = fold(EVENTS);

function moment(step: number) {
  const found = MOMENTS[step];
  if (!found) throw new Error(`no step ${step}`);
  return found;
}

const STEPS = MOMENTS.filter(({ stage, decision }) => stage === 'search' && decision);

describe('a change', () => {
  test('counts the decisions of its own stage', () => {
    expect(MOMENTS.map((each) => [each.stage, numberOf(MOMENTS, each)])).toEqual(
      MOMENTS.map((each) => [each.stage, MOMENTS.filter(({ stage }) => stage === each.stage).indexOf(each)]),
    );
  });

  test('is found again by its stage and its number there', () => {
    for (const each of MOMENTS) expect(stepOfDecision(MOMENTS, each.stage, numberOf(MOMENTS, each))).toBe(each.step);
    expect(stepOfDecision(MOMENTS, 'search', 99)).toBeNull();
  });

  test('takes another option of the moment', () => {
    const at = STEPS[0] ?? moment(1);
    const other = at.decision?.options.find(({ index }) => index !== at.decision?.chosen);
    if (!other) throw new Error('one option only');
    expect(insteadOf(MOMENTS, at, other, 'ask')).toEqual({
      kind: 'replace',
      stage: 'search',
      number: 0,
      choice: choiceOf(other),
      later: 'ask',
    });
  });

  test('says of each kind of option what taking it decides', () => {
    const base = { index: 0, probability: null };
    const target = { id: 'en.kitt', label: 'KITT', kind: 'entity' } as const;
    const relation = { id: '^a.b', label: 'b', context: 'a', reverse: true };
    const options: OptionRecord[] = [
      { ...base, kind: 'none' },
      { ...base, kind: 'topic', term: target, hint: '', start: 0, end: 1 },
      { ...base, kind: 'step', position: 2, relation, leads_to: 'entity', entities: 1, facts: 1 },
      { ...base, kind: 'constraint', constraint: { position: 3, operator: '=', target } },
      { ...base, kind: 'constraint', constraint: { position: 3, operator: 'max', target: null } },
      { ...base, kind: 'answer', position: 2 },
    ];
    expect(options.map(choiceOf)).toEqual([
      { kind: 'none' },
      { kind: 'topic', entity: 'en.kitt' },
      { kind: 'step', position: 2, relation: '^a.b' },
      { kind: 'constraint', position: 3, operator: '=', target: 'en.kitt' },
      { kind: 'constraint', position: 3, operator: 'max', target: null },
      { kind: 'answer', position: 2 },
    ]);
  });

  test('drops a condition, and nothing else', () => {
    const conditions = MOMENTS.filter((each) => dropped(MOMENTS, each, 'keep'));
    expect(conditions.map(({ stage }) => stage)).toEqual(['prune']);
    expect(dropped(MOMENTS, conditions[0] ?? moment(0), 'keep')).toEqual({
      kind: 'remove',
      stage: 'prune',
      number: 0,
      later: 'keep',
    });
  });

  test('stops after a step that another follows, and goes on where a search ended', () => {
    const followed = STEPS.filter((each) => stoppedAfter(MOMENTS, each));
    const taken = STEPS.filter(({ decision }) => {
      const chosen = decision?.options.find(({ index }) => index === decision.chosen);
      return chosen?.kind === 'step';
    });
    expect(followed).toEqual(taken.slice(0, -1));
    expect(stoppedAfter(MOMENTS, followed[0] ?? moment(0))).toMatchObject({ kind: 'end', number: 1 });
    const ended = STEPS.at(-1) ?? moment(0);
    const on = goesOnWith(ended);
    expect(on?.kind).toBe('step');
    expect(on?.probability).toBe(
      Math.max(...(ended.decision?.options ?? []).map((o) => (o.kind === 'step' ? (o.probability ?? 0) : 0))),
    );
    expect(goesOnWith(moment(0))).toBeNull();
  });

  test('keeps what comes after a condition, and asks again after a step', () => {
    expect((['link', 'search', 'prune', 'infer'] as const).map(usualLater)).toEqual(['ask', 'ask', 'keep', 'keep']);
  });

  test('names another topic', () => {
    expect(aboutInstead('en.jamaica')).toMatchObject({
      stage: 'link',
      choice: { kind: 'topic', entity: 'en.jamaica' },
    });
  });
});

describe('a condition that is added', () => {
  test('leaves a place for the answer', () => {
    // The actor is the only place without a condition; of a mediator it may be said that it held.
    const compared = (constraints: typeof WHOLE.constraints) =>
      bearersOf({ ...WHOLE, constraints })
        .filter(({ operators }) => operators.includes('=') || operators.includes('holds'))
        .map(({ position }) => position);
    expect(compared(WHOLE.constraints)).toEqual([1, 3]);
    expect(compared([])).toEqual([1, 2, 3]);
    const country = { id: 'location.country', label: 'country', kind: 'entity' } as const;
    expect(compared([{ position: 2, operator: 'kind', target: country }])).toEqual([1, 2, 3]);
  });

  test('of a kind may be what answers, too', () => {
    const kinds = bearersOf(WHOLE).filter(({ operators }) => operators.includes('kind'));
    expect(kinds.map(({ position }) => position)).toEqual([2, 3]);
  });

  test('comes after those that stand', () => {
    const condition = { position: 3, operator: '=', target: 'en.kitt' } as const;
    expect(conditionAdded(WHOLE, condition)).toEqual({
      kind: 'insert',
      stage: 'prune',
      number: 1,
      choice: { kind: 'constraint', ...condition },
      later: 'keep',
    });
  });

  test('says of a link alone that it held, at a date or now', () => {
    expect(operatorsOf('mediator')).toEqual(['holds']);
    expect(operatorsOf('date')).not.toContain('holds');
    expect(targetKind('mediator')).toBe('date');
    expect(targetKind('number')).toBe('number');
    expect(nowTyped(' Now ', '2026-11-25')).toBe('"2026-11-25"^^xsd:date');
    expect(nowTyped('now', null)).toBeNull();
    expect(nowTyped('2011', '2026-11-25')).toBeNull();
  });

  test('compares numbers and dates, as they are typed', () => {
    expect(operatorsOf('entity')).toEqual(['=']);
    expect(operatorsOf('date')).toContain('max');
    expect(literalTyped('date', ' 2011-02 ')).toBe('"2011-02"^^xsd:date');
    expect(literalTyped('date', '44')).toBe('"0044"^^xsd:date');
    expect(literalTyped('date', 'May 2011')).toBeNull();
    expect(literalTyped('number', '1.5')).toBe('"1.5"^^xsd:decimal');
    expect(literalTyped('number', 'many')).toBeNull();
    expect(literalTyped('text', 'a "b" \\')).toBe('"a \\"b\\" \\\\"');
    expect(literalTyped('text', ' ')).toBeNull();
  });
});

test('a tree lists each run after the one that it varies', () => {
  const runs = [
    { id: 'a', parent: null },
    { id: 'b', parent: 'a' },
    { id: 'c', parent: 'a' },
    { id: 'd', parent: 'b' },
    { id: 'e', parent: 'gone' },
  ];
  expect(treeRows(runs).map(({ run, depth }) => `${run.id}${depth}`)).toEqual(['a0', 'b1', 'd2', 'c1', 'e0']);
});

describe('a pool in which one looks for an option', () => {
  const at = STEPS[0] ?? moment(1);
  const options = at.decision?.options ?? [];

  test('is filtered by words, namesakes and ids', () => {
    expect(matching(options, ' ', at.before)).toBe(options);
    for (const typed of ['REGULAR', 'tv.tv_program.regular_cast']) {
      expect(matching(options, typed, at.before).map(({ kind }) => kind)).toEqual(['step']);
    }
    expect(matching(options, 'no such thing', at.before)).toEqual([]);
  });

  test('takes in what the event left out, once', () => {
    if (!at.decision) throw new Error('no decision');
    const [first] = options;
    if (first?.kind !== 'step') throw new Error('no step');
    const further = { ...first, index: 0, probability: null, relation: { ...first.relation, id: 'a.b' } };
    const every = withEvery(at.decision, [...options.map((each) => ({ ...each, index: each.index + 1 })), further]);
    expect(every.options).toEqual([...options, { ...further, index: -1 }]);
  });
});
