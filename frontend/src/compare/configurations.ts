/** The configurations that answer a question side by side: each strategy with each model and with its own switches. */
import type { WayIn } from '../api/asking/sideBySide';
import type { StrategyOut } from '../api/types';
import { mayAnswerByItself, switchesWanted, type Switches } from '../core/words/strategies';

/** Maximum of configurations of one comparison. */
export const MAX_CONFIGURATIONS = 12;

/** A strategy with switches of its own. */
export interface OwnConfiguration {
  readonly strategy: string;
  readonly switches: Switches;
}

/** What the user chose for the comparison. */
export interface Chosen {
  readonly strategies: readonly string[];
  readonly scorers: readonly string[];
  /** Whether strategies that allow it show what a model answers without the graph. */
  readonly ownAnswers: boolean;
  /** In addition to the strategies with default switches. */
  readonly own: readonly OwnConfiguration[];
}

/** Each chosen strategy that can run here, with default and own switches, with each chosen model; without duplicates. */
export function configurationsOf(strategies: readonly StrategyOut[], chosen: Chosen): readonly WayIn[] {
  const usual = { model_may_answer: chosen.ownAnswers };
  const ways = strategies
    .filter(({ fault }) => fault === null)
    .flatMap((strategy) =>
      [
        ...(chosen.strategies.includes(strategy.name) ? [usual] : []),
        ...chosen.own.filter((each) => each.strategy === strategy.name).map(({ switches }) => switches),
      ].flatMap((switches) =>
        chosen.scorers.map((scorer) => ({ scorer, strategy: strategy.name, ...switchesWanted(strategy, switches) })),
      ),
    );
  return [...new Map(ways.map((way) => [JSON.stringify(way), way])).values()];
}

/** Whether a configuration repeats the default one or one before it. */
export function isDuplicate(strategies: readonly StrategyOut[], chosen: Chosen, at: number): boolean {
  const before = { ...chosen, scorers: [''], own: chosen.own.slice(0, at) };
  const count = (own: readonly OwnConfiguration[]) => configurationsOf(strategies, { ...before, own }).length;
  return count(before.own) === count(chosen.own.slice(0, at + 1));
}

/** Whether a model would answer by itself in one of the chosen strategies. */
export function someAnswerByThemselves(strategies: readonly StrategyOut[], chosen: readonly string[]): boolean {
  return strategies.some((each) => chosen.includes(each.name) && mayAnswerByItself(each, {}));
}

/** The strategies that are chosen at first: all that can run here, up to the maximum. */
export function defaultStrategies(strategies: readonly StrategyOut[]): readonly string[] {
  return strategies
    .filter(({ fault }) => fault === null)
    .slice(0, MAX_CONFIGURATIONS)
    .map(({ name }) => name);
}
