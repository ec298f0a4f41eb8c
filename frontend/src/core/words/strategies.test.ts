import { expect, test } from 'vitest';

import type { StrategyOut } from '../../api/types';
import {
  USUAL_SWITCHES,
  hasSwitches,
  mayAnswerByItself,
  strategyNamed,
  strategyWords,
  switchesWanted,
  wayTitle,
} from './strategies';

function strategy(name: string, keeps_readings: boolean): StrategyOut {
  return {
    name,
    title: name.toUpperCase(),
    about: '',
    keeps_readings,
    determines: false,
    plans: false,
    debates: false,
    beams: false,
    predicts: false,
    own_answers: false,
    fault: null,
  };
}

const STRATEGIES = [strategy('reads', false), strategy('beam', true), strategy('plan', false)];

test('only what is not the usual way is told', () => {
  expect(strategyWords(STRATEGIES, 'reads', 3)).toBe('');
  expect(strategyWords(STRATEGIES, 'beam', 3)).toBe('BEAM, keeping 3 readings');
  expect(strategyWords(STRATEGIES, 'plan', 3)).toBe('PLAN');
  expect(strategyWords(STRATEGIES, 'of another day', 3)).toBe('of another day');
  expect(strategyWords([], 'beam', 3)).toBe('');
});

test('where a strategy is no longer there, the usual one is offered', () => {
  expect(strategyNamed(STRATEGIES, 'beam')?.name).toBe('beam');
  expect(strategyNamed(STRATEGIES, 'of another day')?.name).toBe('reads');
  expect(strategyNamed(STRATEGIES, null)?.name).toBe('reads');
  expect(strategyNamed([], 'beam')).toBeUndefined();
});

test('of what may be said, only what means something for a strategy is asked for', () => {
  const rog = { ...strategy('rog', false), plans: true, own_answers: true };
  const wanted = switchesWanted(rog, { ...USUAL_SWITCHES, plans: 5, ownAnswers: true });
  expect(wanted).toMatchObject({ width: null, determination: null, plans: 5, planner: 'scorer', reasoner: 'rank' });
  expect(switchesWanted(STRATEGIES[1], USUAL_SWITCHES)).toMatchObject({ width: 3, plans: null, reasoner: null });
  // By rank, no model writes an answer of its own.
  expect(wanted.model_may_answer).toBe(false);
  expect(mayAnswerByItself(rog, { ...USUAL_SWITCHES, reasoner: 'writer' })).toBe(true);
  const eperm = { ...strategy('eperm', false), predicts: true, own_answers: true };
  const asked = switchesWanted(eperm, { ...USUAL_SWITCHES, entities: 10 });
  expect(asked).toMatchObject({ plans: 3, planner: null, relations: 3, entities: 10, predictor: 'rank' });
  expect(switchesWanted(rog, USUAL_SWITCHES)).toMatchObject({ relations: null, entities: null, predictor: null });
  expect(mayAnswerByItself(eperm, USUAL_SWITCHES)).toBe(false);
  expect(mayAnswerByItself(eperm, { ...USUAL_SWITCHES, predictor: 'writer' })).toBe(true);
});

test('a way is called by its strategy and by what is not as usual', () => {
  const dog = { ...strategy('dog', false), debates: true };
  const tog = { ...strategy('tog', false), beams: true };
  const known = [...STRATEGIES, dog, tog];
  expect(wayTitle(known, 'reads', USUAL_SWITCHES)).toBe('READS');
  expect(wayTitle(known, 'beam', USUAL_SWITCHES)).toBe('BEAM, 3 readings');
  expect(wayTitle(known, 'dog', { ...USUAL_SWITCHES, rounds: 5, debaters: '1' })).toBe(
    'DOG, 5 rounds, the simplifier alone',
  );
  expect(wayTitle(known, 'tog', { ...USUAL_SWITCHES, width: 1, ownAnswers: true })).toBe(
    'TOG, 1 entity a hop, with its own answers',
  );
  expect(wayTitle(known, 'of another day', USUAL_SWITCHES)).toBe('of another day');
  expect(known.map(hasSwitches)).toEqual([false, true, false, true, true]);
});
