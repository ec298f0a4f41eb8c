/** What a decision says of its options' probabilities: exactly, within bounds, or not at all. */
import type { DecisionRecord, OptionRecord } from '../../api/types';
import type { Bar } from './bar';
import type { Entry } from '../words/glossary';
import { number, plural, probabilityWords } from '../words/format';

/** Why a scorer that only picks is called approximate. */
export const APPROXIMATE: Entry = {
  title: 'Approximate',
  text: 'This model names one option and gives no probabilities, so there are no bars.',
};

/** Whether a scorer only said which option it picks. */
export function isApproximate({ exact, explored }: DecisionRecord): boolean {
  return !exact && !explored;
}

/** Who chose where no model was asked; null where one was. */
export function unaskedWords({ given, explored }: DecisionRecord): string | null {
  if (given) return 'This choice was given. No model was used.';
  return explored ? 'This follows from earlier decisions. No model was used.' : null;
}

/** The most that a read option has: exactly the recorded share, unless options were left unread. */
export function mostOf(decision: DecisionRecord, probability: number): number {
  return decision.unread ? Math.min(1, probability / (1 - decision.unread.together)) : probability;
}

/** An option's probability: ".94", ".60–.72" where options were left unread, "picked", "by weight" of a graph network, or "given"; none without a choice. */
export function shareWords(decision: DecisionRecord, index: number): string {
  const chosen = index === decision.chosen;
  if (decision.given) return chosen ? 'given' : '';
  if (decision.explored) return chosen ? 'by weight' : '';
  if (!decision.exact) return chosen ? 'picked' : '';
  if (decision.total <= 1) return '';
  const probability = decision.options.find((option) => option.index === index)?.probability ?? null;
  if (probability === null) return '';
  const least = probabilityWords(probability);
  const most = probabilityWords(mostOf(decision, probability));
  return least === most ? least : `${least}–${most}`;
}

/** The bar of an option on a scale from 0 to 1; null where it has no probability, or was the only one. */
export function barOf(decision: DecisionRecord, { probability }: OptionRecord): Bar | null {
  if (probability === null || !decision.exact || decision.total <= 1) return null;
  return { sure: probability, perhaps: mostOf(decision, probability) - probability };
}

/** What is known of the options that were not read, and why they were not. */
export function unreadEntry(decision: DecisionRecord): Entry | null {
  const { unread, total } = decision;
  if (!unread) return null;
  return {
    title: `${number(unread.count)} of ${plural(total, 'option')} not read`,
    text:
      'The beginning of an option is at least as probable as the whole option. So the model stopped reading where no ' +
      `other option could be chosen. All unread options together have at most ${probabilityWords(unread.together)}, each at most ` +
      `${probabilityWords(unread.each)}. That is why the other options have a range.`,
  };
}
