import { describe, expect, test } from 'vitest';

import type { StageEvent } from '../../api/types';
import { EARLIER, RECORDED, recorded } from './recorded';
import { EMPTY, beginsStep, fold, membersOf, pathTo, reduce, sourceOf, stateAt, stepEnds, targetOf } from './run';

describe.each([
  ...RECORDED,
  ...[...EARLIER].map(([name, events]) => [`${name}, of an earlier version`, events] as const),
])('the run %s', (_, events) => {
  const ends = stepEnds(events);

  test('folds event by event to the same state as all at once', () => {
    let state = EMPTY;
    events.forEach(({ event }, index) => {
      state = reduce(state, event);
      expect(fold(events.slice(0, index + 1))).toEqual(state);
    });
    expect(state.phase).toBe('over');
  });

  test('has the same state at a step, whether watched until then or scrubbed back to', () => {
    ends.forEach((end, step) => {
      const watched = events.slice(0, end);
      expect(stateAt(events, step)).toEqual(stateAt(watched, step));
      expect(stateAt(events, step)).toEqual(fold(watched));
    });
  });

  test('grows S and G to the sizes that the engine shows', () => {
    events.forEach(({ event }, index) => {
      if (event.kind !== 'search_step') return;
      const state = fold(events.slice(0, index + 1));
      expect(state.nodes).toHaveLength(event.structure_size);
      expect(state.nodes.reduce((sum, { gained }) => sum + gained, 0)).toBe(event.graph_size);
    });
  });

  test('begins every step but the first with what it is about', () => {
    const starts = [0, ...ends];
    ends.forEach((_end, step) => {
      if (step === 0) return;
      const first = events[starts[step] ?? 0]?.event;
      expect(first && beginsStep(first)).toBe(true);
    });
    expect(ends.at(-1) ?? events.length).toBe(events.length);
  });

  test('ties every fact to terms that stand in it', () => {
    const state = fold(events);
    const places = new Set([
      ...(state.linked?.topic ? [`0:${state.linked.topic.id}`] : []),
      ...state.facts.map((fact) => targetOf(fact)),
    ]);
    for (const fact of state.facts) expect(places).toContain(sourceOf(state, fact));
  });
});

test('a condition takes out what does not meet it, and leaves the answer', () => {
  const state = fold(recorded('condition'));
  expect(state.constraints.map(({ target }) => target?.label)).toEqual(['KITT']);
  expect(state.answerPosition).toBe(2);
  expect(membersOf(state, 2).kept.map(({ label }) => label)).toEqual(['William Daniels']);
  expect(membersOf(state, 2).removed.length).toBeGreaterThan(0);
  expect(pathTo(state, 2).map(({ out }) => out.position)).toEqual([0, 1, 2]);
});

test('before the condition, nothing is taken out', () => {
  const events = recorded('condition');
  const chosen = events.findIndex(({ event }) => event.kind === 'constraint_chosen');
  const before = fold(events.slice(0, chosen));
  expect(before.removed.size).toBe(0);
  expect(membersOf(before, 2).kept.length).toBeGreaterThan(1);
});

test('what a later condition leaves replaces what the earlier one left', () => {
  const events = recorded('two_conditions');
  const pruned = events.flatMap(({ event }) => (event.kind === 'pruned' ? [event] : []));
  expect(pruned).toHaveLength(2);
  const state = fold(events);
  expect([...state.removed.keys()].sort()).toEqual(pruned[1]?.removed.map(({ fact }) => fact).sort());
});

test('a cancelled run keeps what was found until then', () => {
  const events = recorded('condition').slice(0, 4);
  const state = reduce(fold(events), { kind: 'cancelled' });
  expect(state.end?.kind).toBe('cancelled');
  expect(state.facts).toEqual(fold(events).facts);
});

test('rounds of readings stand beside S and G', () => {
  const state = fold(recorded('readings'));
  expect(state.rounds.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(state.rounds.at(-1)?.kept[0]?.reading).toMatchObject({ position: 2, constraints: state.constraints });
  expect(state.rounds.at(-1)?.kept[0]?.reading.nodes.map(({ relation }) => relation?.label)).toEqual(
    state.nodes.map(({ out }) => out.relation?.label),
  );
});

test('a run that stops before a decision has ended', () => {
  const state = fold(recorded('undecided'));
  expect(state.phase).toBe('over');
  expect(state.end).toMatchObject({ kind: 'undecided', total: 1 });
  expect(state.answerPosition).toBeNull();
});

test('an event of an unknown kind is refused', () => {
  expect(() => reduce(EMPTY, { kind: 'telepathy' } as unknown as StageEvent)).toThrow(/unknown kind/);
});
