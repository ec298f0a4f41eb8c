/** Why a run has no answer, in a sentence. */
import type { Finished } from '../api/types';
import type { RunState } from './run';
import { plain, type Moment } from './timeline';
import { conditionWords, nodeLabel, optionWords, percent, plural } from './words';

/** So many options that were not taken are told. */
const RUNNERS_UP = 2;

/** What a run came to that has no answer, in a few words. */
export const VERDICT_WORDS: Readonly<Record<Finished['verdict'], string>> = {
  answered: 'answered',
  not_in_graph: 'not in this graph',
  no_answer_found: 'no answer found',
  conditions_leave_nothing: 'no fact meets the conditions',
};

/** The same over the sentence that explains it. Runs of earlier versions say that it is not in the graph for all. */
export function missingTitle({ reason }: Finished): string {
  return reason === 'no_topic' ? 'Not in this graph' : 'No answer found';
}

/** How sure the model was when it stopped, and what it would have done otherwise; empty where nothing was asked. */
export function runnersUpWords(finished: Finished, whole: RunState, moments: readonly Moment[]): string {
  const last = moments.findLast(({ decision }) => decision !== null);
  if (finished.reason !== 'no_relation' || !last?.decision || last.decision.given) return '';
  const { decision } = last;
  const sure = decision.options.find(({ index }) => index === decision.chosen)?.probability;
  if (sure === null || sure === undefined) return '';
  const others = decision.options
    .filter(({ index, probability, kind }) => index !== decision.chosen && kind === 'step' && (probability ?? 0) > 0)
    .slice(0, RUNNERS_UP)
    .map((option) => `${optionWords(whole, option)} (${percent(option.probability ?? 0)})`);
  const next = others.length > 0 ? ` Next came ${others.join(', ')}.` : '';
  return `The model was ${percent(sure)} sure that nothing leads on.${next}`;
}

/** Why nothing was answered; empty where something was. */
export function missingWords(finished: Finished, whole: RunState, moments: readonly Moment[], graph: string): string {
  switch (finished.reason) {
    case 'no_topic':
      return `Nothing that the question names was found in ${graph}. Choose what it is about, or ask about something else.`;
    case 'no_relation': {
      if (whole.nodes.length > 1) {
        return `The search went ${plural(whole.nodes.length - 1, 'step')} from ${nodeLabel(whole, 0)} and found no place that could hold an answer.`;
      }
      const total = moments.findLast(({ decision, stage }) => decision !== null && stage !== 'link')?.decision?.total;
      // None is an option, and no relation.
      const relations = total && total > 1 ? plural(total - 1, 'relation') : 'relations';
      return `${nodeLabel(whole, 0)} is in ${graph}, but the model took none of its ${relations} for what the question asks.`;
    }
    case 'conditions_leave_nothing': {
      if (whole.constraints.length === 0) {
        return `The chosen place holds nothing but ${nodeLabel(whole, 0)}, which the question is about and which is no answer to it.`;
      }
      const conditions = whole.constraints.map((constraint) => conditionWords(whole, constraint)).join(' and ');
      const last = whole.constraints.at(-1);
      const taken =
        whole.constraints.length > 1 && last ? ` The last of them left nothing: ${conditionWords(whole, last)}.` : '';
      return `${plural(whole.facts.length, 'fact')} found, but none is left where ${conditions}.${taken}`;
    }
    default:
      return '';
  }
}

/** At which decision a run stopped; empty where it made none but where to begin. */
export function stoppedWords(moments: readonly Moment[]): string {
  const last = moments.at(-1);
  return last && last.step > 0 ? `It stopped at decision ${last.step + 1}: ${plain(last.sentence).toLowerCase()}.` : '';
}
