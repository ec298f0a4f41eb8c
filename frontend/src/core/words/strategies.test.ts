import { expect, test } from 'vitest';

import { mayAnswerByItself, strategyNamed, strategyWords, switchesWanted, wayTitle } from './strategies';
import { ALONE, BEAM, ETD, READS, ROG, numberOption, strategySample } from './strategySamples';

const STRATEGIES = [READS, BEAM, ROG];

test('only what differs from the default is mentioned', () => {
  expect(strategyWords(STRATEGIES, 'reads', {})).toBe('');
  expect(strategyWords(STRATEGIES, 'beam', {})).toBe('BEAM, keeping 3 readings');
  expect(strategyWords(STRATEGIES, 'rog', { plans: 3, reasoner: 'rank' })).toBe('ROG');
  expect(strategyWords(STRATEGIES, 'rog', { plans: 1, planner: 'writer' })).toBe('ROG, 1 plan, the writer');
  expect(strategyWords(STRATEGIES, 'of another day', { plans: 1 })).toBe('of another day');
  expect(strategyWords([], 'beam', {})).toBe('');
});

test('where a strategy is no longer there, the usual one is offered', () => {
  expect(strategyNamed(STRATEGIES, 'beam')?.name).toBe('beam');
  expect(strategyNamed(STRATEGIES, 'of another day')?.name).toBe('reads');
  expect(strategyNamed(STRATEGIES, null)?.name).toBe('reads');
  expect(strategyNamed([], 'beam')).toBeUndefined();
});

test('of what may be said, only what means something for a strategy is asked for', () => {
  const run = { plans: 5, width: 7, model_may_answer: true, question: 'who?' };
  // By rank, no model writes an answer of its own.
  expect(switchesWanted(ROG, run)).toEqual({ plans: 5, planner: 'scorer', reasoner: 'rank', model_may_answer: false });
  expect(switchesWanted(ROG, { ...run, reasoner: 'writer' })).toMatchObject({ model_may_answer: true });
  expect(switchesWanted(BEAM, run)).toEqual({ width: 7, model_may_answer: false });
  // Ablations are for evaluations.
  expect(switchesWanted(ETD, { candidates_without: ['paths'] })).toEqual({
    candidates: 3,
    determination: 'scorer',
    model_may_answer: false,
  });
});

test('a model answers by itself where the option that says who answers names one that writes', () => {
  expect(mayAnswerByItself(undefined, {})).toBe(false);
  expect(mayAnswerByItself(READS, {})).toBe(false);
  expect(mayAnswerByItself(ALONE, {})).toBe(true);
  expect(mayAnswerByItself(ROG, { planner: 'writer' })).toBe(false);
  expect(mayAnswerByItself(ROG, { reasoner: 'writer' })).toBe(true);
});

test('a way is called by its strategy and by what is not as usual', () => {
  const tog = strategySample('tog', [numberOption('width', 'entity', { more: 'entities', told: '{count} a hop' })]);
  const known = [...STRATEGIES, tog, ETD];
  expect(wayTitle(known, 'reads', {})).toBe('READS');
  expect(wayTitle(known, 'beam', {})).toBe('BEAM, keeping 3 readings');
  expect(wayTitle(known, 'tog', { width: 3 })).toBe('TOG');
  expect(wayTitle(known, 'tog', { width: 1, model_may_answer: true })).toBe(
    'TOG, 1 entity a hop, with the model’s own answers',
  );
  expect(wayTitle(known, 'tog', { width: 5 })).toBe('TOG, 5 entities a hop');
  expect(wayTitle(known, 'etd', { candidates_without: ['paths', 'letters'] })).toBe(
    'ETD, without letters, without paths',
  );
  expect(wayTitle(known, 'of another day', {})).toBe('of another day');
});
