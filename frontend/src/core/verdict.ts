/** Why a run has no answer, in a sentence. */
import type { Finished } from '../api/types';
import type { RunState } from './run';
import { plain, type Moment } from './timeline';
import { conditionWords, nodeLabel, plural } from './words';

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
      return `${nodeLabel(whole, 0)} is in ${graph}, but none of its ${relations} fits the question.`;
    }
    case 'conditions_leave_nothing': {
      if (whole.constraints.length === 0) {
        return `The chosen place holds nothing but ${nodeLabel(whole, 0)}, which the question is about and which is no answer to it.`;
      }
      const conditions = whole.constraints.map((constraint) => conditionWords(whole, constraint)).join(' and ');
      return `${plural(whole.facts.length, 'fact')} found, but none is left where ${conditions}.`;
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
