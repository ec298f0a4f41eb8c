/** Why a run has no answer, in a sentence, and how it may go on. */
import type { Finished, OptionRecord } from '../../api/types';
import { REASONS, REFUSED, RUNNERS_UP, STOPPED, TITLES } from '../../api/wording';
import { confidenceWords } from './eventSentences';
import { dropped, insteadOf, usualLater, type Change } from './changes';
import { joinedConditions } from './conditions';
import { filled } from '../words/filled';
import type { RunState } from './run';
import { chosenOf, plain, sureOf, weakestOf, type Moment } from './timeline';
import { certaintyWords, plural } from '../words/format';
import { conditionWords, nodeLabel, optionWords } from '../words/words';

/** What stands over the sentence that explains why there is no answer. */
export function missingTitle({ reason }: Finished, whole: RunState): string {
  if (reason === 'described') return filled(TITLES.described, { topic: nodeLabel(whole, 0) });
  return reason === 'no_topic' ? TITLES.no_topic : TITLES.no_answer;
}

/** How sure the model was when it stopped without an answer; empty where it did not, or that is not known. */
export function sureWords(finished: Finished, moments: readonly Moment[]): string {
  const sure = stopOf(finished, moments)?.probability;
  return sure === undefined ? '' : filled(STOPPED.sure, { share: certaintyWords(sure) });
}

/** The confidence of a run and its weakest step, without the part that `sureWords` returns. */
export function doubtsOf(
  finished: Finished,
  moments: readonly Moment[],
): { readonly sure: string; readonly weakest: Moment | null } {
  const stop = stopOf(finished, moments)?.moment;
  const isAlone = stop !== undefined && moments.every((each) => each === stop || sureOf(each) === null);
  const sure = isAlone ? '' : confidenceWords(finished);
  const weakest = weakestOf(moments);
  return { sure, weakest: sure === '' || weakest === stop ? null : weakest };
}

/** An option that was not taken, and the change that takes it. */
export interface WayOn {
  readonly words: string;
  readonly change: Change;
}

/** The likeliest options that a run without an answer did not take. */
export function runnersUp(finished: Finished, whole: RunState, moments: readonly Moment[]): readonly WayOn[] {
  const last = lastOf(moments);
  const isAlone = finished.reason === 'conditions_leave_nothing' && whole.constraints.length === 0;
  if (!last?.decision || last.decision.given || !last.decision.exact) return [];
  if (!isAlone && sureWords(finished, moments) === '') return [];
  const leadsOn = ({ index, kind, probability }: OptionRecord) =>
    index !== last.decision?.chosen && (kind === 'step' || kind === 'answer') && (probability ?? 0) > 0;
  return last.decision.options
    .filter(leadsOn)
    .slice(0, RUNNERS_UP)
    .map((option) => ({
      words: filled(STOPPED.option, {
        option: optionWords(whole, option),
        share: certaintyWords(option.probability ?? 0),
      }),
      change: insteadOf(moments, last, option, usualLater(last.stage)),
    }));
}

/** The condition that left nothing, and the change that drops it; null where none did. */
export function lastCondition(finished: Finished, whole: RunState, moments: readonly Moment[]): WayOn | null {
  const constraint = whole.constraints.at(-1);
  if (finished.reason !== 'conditions_leave_nothing' || !constraint) return null;
  const changes = moments.map((moment) => dropped(moments, moment, usualLater('prune')));
  const change = changes.findLast((each) => each !== null);
  return change ? { words: conditionWords(whole, constraint), change } : null;
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
    case 'nothing_said':
      return REASONS.nothing_said;
    case 'two_not_compared':
    case 'claim_not_checked':
    case 'another_kind':
    case 'claim_reversed':
      return filled(REASONS[finished.reason], { graph });
    case 'not_left_out':
      return REASONS.not_left_out;
    case 'nothing_compared':
    case 'described':
      return filled(REASONS[finished.reason], { topic, graph });
    case 'unsupported':
      return filled(REASONS.unsupported, { graph });
    case 'conditions_leave_nothing': {
      const last = whole.constraints.at(-1);
      if (last === undefined) return filled(REASONS.topic_alone, { topic });
      const facts = plural(
        whole.nodes.reduce((sum, { gained }) => sum + gained, 0),
        'fact',
      );
      const conditions = joinedConditions(whole, whole.constraints).join(' and ');
      const sentence = filled(REASONS.conditions, { facts, conditions });
      if (whole.constraints.length === 1) return sentence;
      return `${sentence} ${filled(REASONS.last_condition, { condition: conditionWords(whole, last) })}`;
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
  if (!last || last.step === 0) return '';
  // Names of the graph keep their capital letters.
  const words = plain(last.sentence);
  return `It stopped at decision ${last.step + 1}: ${words.charAt(0).toLowerCase()}${words.slice(1)}.`;
}

/** Where a model chose to stop without an answer, and how probable it held that; null where it did not. */
function stopOf(
  { reason }: Finished,
  moments: readonly Moment[],
): { readonly moment: Moment; readonly probability: number } | null {
  const last = lastOf(moments);
  const chosen = last?.decision && chosenOf(last.decision);
  if (reason !== 'no_relation' || !last || last.decision?.given || !last.decision?.exact) return null;
  if (chosen?.kind !== 'none' || chosen.probability === null) return null;
  return { moment: last, probability: chosen.probability };
}

/** The last moment that decided something after what the question is about. */
function lastOf(moments: readonly Moment[]): Moment | undefined {
  return moments.findLast(({ decision, stage }) => decision !== null && stage !== 'link');
}
