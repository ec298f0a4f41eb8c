/** Strategies for tests, as the site lists them. */
import type { StrategyOptionOut, StrategyOut } from '../../api/types';

/** How many of something, from 1 to 10; usually 3. */
export function numberOption(
  name: string,
  one: string,
  more: Partial<Extract<StrategyOptionOut, { kind: 'number' }>> = {},
): StrategyOptionOut {
  const offered = Array.from({ length: 10 }, (_, index) => index + 1);
  const words = { label: name, lead: name, sentence: `How many: ${name}.`, told: '{count}' };
  return { kind: 'number', name, usual: 3, offered, one, more: `${one}s`, is_always_told: false, ...words, ...more };
}

/** Who or what, usually the first. */
export function choiceOption(name: string, usual: string, ...others: readonly string[]): StrategyOptionOut {
  const choices = [usual, ...others].map((value) => ({ value, words: `the ${value}`, told: '' }));
  return { kind: 'choice', name, usual, label: name, lead: `${name} by`, sentence: `Who: ${name}.`, choices };
}

/** What is left out in evaluations. */
export function ablationOption(name: string, ...parts: readonly string[]): StrategyOptionOut {
  const choices = parts.map((value) => ({ value, words: `the ${value}`, told: `without ${value}` }));
  return { kind: 'ablation', name, usual: [], label: name, sentence: `What is left out: ${name}.`, choices };
}

/** A strategy with options; a model may answer by itself if an option says who answers. */
export function strategySample(
  name: string,
  options: readonly StrategyOptionOut[] = [],
  more: Partial<StrategyOut> = {},
): StrategyOut {
  const own = { own_answers: false, answered_by: null, fault: null };
  return { name, title: name.toUpperCase(), about: '', options: [...options], ...own, ...more } as StrategyOut;
}

export const READS = strategySample('reads');
export const BEAM = strategySample('beam', [
  numberOption('width', 'reading', { told: 'keeping {count}', is_always_told: true }),
]);
export const ALONE = strategySample('alone', [], { own_answers: true });
export const ROG = strategySample(
  'rog',
  [
    numberOption('plans', 'plan'),
    choiceOption('planner', 'scorer', 'writer'),
    choiceOption('reasoner', 'rank', 'writer'),
  ],
  { own_answers: true, answered_by: 'reasoner' },
);
export const ETD = strategySample(
  'etd',
  [
    numberOption('candidates', 'candidate'),
    choiceOption('determination', 'scorer', 'explorer', 'writer'),
    ablationOption('candidates_without', 'letters', 'paths'),
  ],
  { own_answers: true, answered_by: 'determination' },
);
