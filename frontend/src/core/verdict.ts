/** Why a run has no answer, in a sentence. */
import type { Finished } from '../api/types';
import { REASONS, REFUSED, TITLES } from '../api/wording';
import { filled } from './filled';
import type { RunState } from './run';
import { plain, type Moment } from './timeline';
import { conditionWords, nodeLabel, optionWords, percent, plural } from './words';

/** So many options that were not taken are told. */
const RUNNERS_UP = 2;

/** What stands over the sentence that explains why there is no answer. */
export function missingTitle({ reason }: Finished): string {
  return reason === 'no_topic' ? TITLES.no_topic : TITLES.no_answer;
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
  const topic = nodeLabel(whole, 0);
  switch (finished.reason) {
    case 'no_topic':
      return filled(REASONS.no_topic, { graph });
    case 'no_relation': {
      if (whole.nodes.length > 1) {
        return filled(REASONS.no_place, { steps: plural(whole.nodes.length - 1, 'step'), topic });
      }
      const total = moments.findLast(({ decision, stage }) => decision !== null && stage !== 'link')?.decision?.total;
      return filled(REASONS.no_relation, { topic, graph, refused: refusedWords(total) });
    }
    case 'unsupported':
      return filled(REASONS.unsupported, { graph });
    case 'conditions_leave_nothing': {
      const conditions = whole.constraints.map((constraint) => conditionWords(whole, constraint));
      const last = conditions.at(-1);
      if (last === undefined) return filled(REASONS.topic_alone, { topic });
      const facts = plural(
        whole.nodes.reduce((sum, { gained }) => sum + gained, 0),
        'fact',
      );
      const told = filled(REASONS.conditions, { facts, conditions: conditions.join(' and ') });
      return conditions.length > 1 ? `${told} ${filled(REASONS.last_condition, { condition: last })}` : told;
    }
    default:
      return '';
  }
}

function refusedWords(options: number | undefined): string {
  // None is an option, and no relation.
  const relations = (options ?? 1) - 1;
  if (relations === 1) return REFUSED.only;
  return relations > 0 ? filled(REFUSED.some, { relations: plural(relations, 'relation') }) : REFUSED.all;
}

/** At which decision a run stopped, by the number of its step; empty where it made none but where to begin. */
export function stoppedWords(moments: readonly Moment[]): string {
  const last = moments.findLast(({ aside }) => aside === null);
  return last && last.step > 0 ? `It stopped at decision ${last.step + 1}: ${plain(last.sentence).toLowerCase()}.` : '';
}
