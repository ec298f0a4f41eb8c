/** The ways to answer a question that are set side by side: each strategy with each model, and with other switches. */
import type { WayIn } from '../api/asking/sideBySide';
import type { StrategyOut } from '../api/types';
import { mayAnswerByItself, switchesWanted, type Switches } from '../core/words/strategies';

/** The site sets no more side by side at a time. */
export const MOST_WAYS = 12;

/** A strategy with switches of its own. */
export interface OwnWay {
  readonly strategy: string;
  readonly switches: Switches;
}

/** What is chosen to be set side by side. */
export interface Chosen {
  readonly strategies: readonly string[];
  readonly scorers: readonly string[];
  /** Whether what a model answers by itself is told, in strategies where one does. */
  readonly ownAnswers: boolean;
  /** Beside the strategies as usual. */
  readonly own: readonly OwnWay[];
}

/** Each chosen strategy that can run here, as usual and with its own switches, with each chosen model; none twice. */
export function waysOf(strategies: readonly StrategyOut[], chosen: Chosen): readonly WayIn[] {
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

/** Whether a way with switches of its own is one that is there already: the usual one, or one before it. */
export function isThere(strategies: readonly StrategyOut[], chosen: Chosen, at: number): boolean {
  const before = { ...chosen, scorers: [''], own: chosen.own.slice(0, at) };
  const count = (own: readonly OwnWay[]) => waysOf(strategies, { ...before, own }).length;
  return count(before.own) === count(chosen.own.slice(0, at + 1));
}

/** Whether a model would answer by itself in one of the chosen strategies. */
export function someAnswerByThemselves(strategies: readonly StrategyOut[], chosen: readonly string[]): boolean {
  return strategies.some((each) => chosen.includes(each.name) && mayAnswerByItself(each, {}));
}

/** The strategies that are chosen until somebody chooses: all that can run here, as many as there is room for. */
export function usualStrategies(strategies: readonly StrategyOut[]): readonly string[] {
  return strategies
    .filter(({ fault }) => fault === null)
    .slice(0, MOST_WAYS)
    .map(({ name }) => name);
}
