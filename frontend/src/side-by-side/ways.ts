/** The ways to answer a question that are set side by side: each strategy with each model. */
import type { WayIn } from '../api/sideBySide';
import type { StrategyOut } from '../api/types';
import { USUAL_SWITCHES, mayAnswerByItself, switchesWanted } from '../core/strategies';

/** The site sets no more side by side at a time. */
export const MOST_WAYS = 12;

/** What is chosen to be set side by side. */
export interface Chosen {
  readonly strategies: readonly string[];
  readonly scorers: readonly string[];
  /** Whether what a model answers by itself is told, in strategies where one does. */
  readonly ownAnswers: boolean;
}

/** Each chosen strategy that can run here, with each chosen model; everything else is as usual. */
export function waysOf(strategies: readonly StrategyOut[], chosen: Chosen): readonly WayIn[] {
  return strategies
    .filter(({ name, fault }) => fault === null && chosen.strategies.includes(name))
    .flatMap((strategy) =>
      chosen.scorers.map((scorer) => ({
        scorer,
        strategy: strategy.name,
        ...switchesWanted(strategy, { ...USUAL_SWITCHES, ownAnswers: chosen.ownAnswers }),
      })),
    );
}

/** Whether a model would answer by itself in one of the chosen strategies. */
export function someAnswerByThemselves(strategies: readonly StrategyOut[], chosen: readonly string[]): boolean {
  return strategies.some((each) => chosen.includes(each.name) && mayAnswerByItself(each, USUAL_SWITCHES));
}

/** The strategies that are chosen until somebody chooses: all that can run here, as many as there is room for. */
export function usualStrategies(strategies: readonly StrategyOut[]): readonly string[] {
  return strategies
    .filter(({ fault }) => fault === null)
    .slice(0, MOST_WAYS)
    .map(({ name }) => name);
}
