/** The words for the ways to answer questions. */
import type { StrategyOut } from '../api/types';
import { shown } from './shown';
import { plural } from './words';

/** How many readings a strategy may keep that keeps several, and how many it keeps until someone chooses. */
export const WIDTHS: readonly number[] = Array.from({ length: 10 }, (_, index) => index + 1);
export const USUAL_WIDTH = 3;

/** The strategy of a name, or else the usual one. */
export function strategyNamed(strategies: readonly StrategyOut[], name: string | null): StrategyOut | undefined {
  return strategies.find((each) => each.name === name) ?? strategies[0];
}

/** How something was answered: "READS with a width, keeping 3 readings"; empty where it was the usual way. */
export function strategyWords(strategies: readonly StrategyOut[], name: string, width: number): string {
  const [usual] = strategies;
  if (!usual || usual.name === name) return '';
  const strategy = strategies.find((each) => each.name === name);
  if (!strategy) return shown(name);
  const title = shown(strategy.title);
  return strategy.keeps_readings ? `${title}, keeping ${plural(width, 'reading')}` : title;
}
