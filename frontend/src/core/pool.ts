/** Which options of a pool are shown, and which are folded away. */
import type { DecisionRecord, Measure, OptionRecord } from '../api/types';
import type { Stage } from '../api/stages';
import { weightWords } from './beside';
import { mostOf } from './shares';
import type { RunState } from './run';
import { shown } from './shown';
import { countWords, number, optionWords, plural, probabilityWords, relationTitle } from './words';

/** So many options are always shown. */
const FEW = 9;
/** Fewer than this are not worth folding. */
const WORTH_FOLDING = 3;

export interface ShownPool {
  /** The options with bars, the most probable first. */
  readonly open: readonly OptionRecord[];
  /** How many are folded away, and what they have together. */
  readonly folded: number;
  readonly foldedShare: number;
  /** Whether there is anything to fold. */
  readonly foldable: boolean;
  /** The listed options that were not read, so that they have no probability. */
  readonly unread: readonly OptionRecord[];
  /** How many were read but are not listed. */
  readonly unlisted: number;
  /** The largest probability, which fills the width of a bar. */
  readonly most: number;
}

/**
 * A pool as it is shown: the first few, the chosen one and None, and the rest folded unless somebody unfolds it.
 *
 * @param unfolded Whether somebody did.
 */
export function shownPool(decision: DecisionRecord, unfolded: boolean): ShownPool {
  const ranked = decision.options.filter(({ probability }) => decision.given || probability !== null);
  const likely = ranked.filter(
    (option, rank) => rank < FEW || option.index === decision.chosen || option.kind === 'none',
  );
  const foldable = ranked.length - likely.length >= WORTH_FOLDING;
  const open = foldable && !unfolded ? likely : ranked;
  const folded = ranked.filter((option) => !open.includes(option));
  return {
    open,
    folded: folded.length,
    foldedShare: folded.reduce((sum, { probability }) => sum + (probability ?? 0), 0),
    foldable,
    unread: decision.options.filter((option) => !ranked.includes(option)),
    unlisted: decision.total - ranked.length - (decision.unread?.count ?? 0),
    most: Math.max(...ranked.map(({ probability }) => mostOf(decision, probability ?? 0)), 1e-9),
  };
}

/** The part of a bar's width that each weight fills: the largest all of it. A score may be below nought. */
export function weightBars(weights: readonly number[]): readonly number[] {
  const least = Math.min(0, ...weights);
  const range = Math.max(...weights) - least || 1;
  return weights.map((weight) => (weight - least) / range);
}

/** A weight in words, by what it is. */
export function measureWords(measure: Measure, weight: number): string {
  return measure === 'probability' ? probabilityWords(weight) : weightWords(weight);
}

/** What an option would do, in a few words. */
export function optionEffect(option: OptionRecord, before: RunState, stage: Stage): string {
  switch (option.kind) {
    case 'topic':
      return 'would begin the search there';
    case 'step': {
      const from = before.nodes[option.position]?.out.kind ?? 'entity';
      return `would add ${plural(option.facts, 'fact')} from ${countWords(option.entities, from)}`;
    }
    case 'constraint':
      return 'would keep only what meets it';
    case 'answer':
      return `${number(before.nodes[option.position]?.members ?? 0)} found there`;
    case 'none':
      return stage === 'prune' ? 'would set no further condition' : 'would end the search';
  }
}

/** What an option is called exactly: an id where it has one. */
export function optionTitle(option: OptionRecord, before: RunState): string {
  switch (option.kind) {
    case 'topic':
      return shown(option.term.id);
    case 'step':
      return relationTitle(option.relation);
    default:
      return optionWords(before, option);
  }
}
