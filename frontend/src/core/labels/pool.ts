/** Which options of a pool are shown, and which are folded away. */
import type { DecisionRecord, Measure, OptionRecord } from '../../api/types';
import type { Stage } from '../../api/stages';
import { weightWords } from '../events/eventSentences';
import type { RunState } from '../events/run';
import { shown } from '../words/shown';
import { number, plural, probabilityWords } from '../words/format';
import { countWords, optionWords, relationTitle } from '../words/words';

/** Minimum of options that are shown. */
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
}

/**
 * A pool as it is shown: the first few, the chosen one and None, and the rest folded until the user unfolds it.
 *
 * @param unfolded Whether the user unfolded it.
 * @param matters Whether an option is shown however unlikely it is.
 */
export function shownPool(
  decision: DecisionRecord,
  unfolded: boolean,
  matters: (option: OptionRecord) => boolean = () => false,
): ShownPool {
  const ranked = decision.options.filter(
    ({ probability }) => decision.given || decision.explored || probability !== null,
  );
  const likely = ranked.filter(
    (option, rank) => rank < FEW || option.index === decision.chosen || option.kind === 'none' || matters(option),
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
  };
}

/** The options whose words, namesakes or ids hold what was typed. */
export function matching(options: readonly OptionRecord[], typed: string, before: RunState): readonly OptionRecord[] {
  const wanted = typed.trim().toLowerCase();
  if (!wanted) return options;
  return options.filter((option) => {
    const aside = option.kind === 'step' ? option.relation.context : option.kind === 'topic' ? option.hint : '';
    return [optionWords(before, option), optionTitle(option, before), aside].some((text) =>
      text.toLowerCase().includes(wanted),
    );
  });
}

/**
 * A decision with every option that there was: the listed ones first, then the others. These are counted below
 * zero, because a pool that is offered again may count otherwise.
 */
export function withEvery(decision: DecisionRecord, every: readonly OptionRecord[]): DecisionRecord {
  const listed = new Set(decision.options.map(choiceKey));
  const others = every.filter((option) => !listed.has(choiceKey(option)));
  return {
    ...decision,
    options: [...decision.options, ...others.map((each, place) => ({ ...each, index: -1 - place }))],
  };
}

/** What taking an option decides, as a text: pools of two runs may count the same options otherwise. */
function choiceKey(option: OptionRecord): string {
  switch (option.kind) {
    case 'none':
      return 'none';
    case 'topic':
      return option.term.id;
    case 'step':
      return `${option.position} ${option.relation.id}`;
    case 'constraint': {
      const { position, operator, target } = option.constraint;
      return `${position} ${operator} ${target?.id ?? ''}`;
    }
    case 'answer':
      return `${option.position}`;
  }
}

/**
 * The part of a bar's width that each weight fills. Probability and attention fill it from 0 to 1; of scores, which may
 * have any size and be below nought, the largest fills all of it.
 */
export function weightBars(measure: Measure, weights: readonly number[]): readonly number[] {
  if (measure !== 'score') return weights;
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
      return 'would start the search there';
    case 'step': {
      const from = before.nodes[option.position]?.out.kind ?? 'entity';
      return `would add ${plural(option.facts, 'fact')} from ${countWords(option.entities, from)}`;
    }
    case 'constraint':
      return 'would keep only facts that meet it';
    case 'answer':
      return `${number(before.nodes[option.position]?.members ?? 0)} found there`;
    case 'none':
      return stage === 'prune' ? 'would add no further condition' : 'would end the search';
  }
}

/** What an option is called exactly: an id where it has one. */
export function optionTitle(option: OptionRecord, before: RunState): string {
  switch (option.kind) {
    case 'topic':
      return shown(option.term.id);
    case 'step':
      return relationTitle(option.relation);
    case 'constraint': {
      const { operator, target } = option.constraint;
      const words = optionWords(before, option);
      return operator === 'kind' && target ? `${words} (${shown(target.id)})` : words;
    }
    default:
      return optionWords(before, option);
  }
}
