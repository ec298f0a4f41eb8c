/** The words for evaluations: short, plain, the same everywhere. */
import type { EvaluationOut, StrategyOut } from '../api/types';
import { RIGHT_ANSWERS } from '../api/wording';
import { filled } from '../core/words/filled';
import { number, percentPoints } from '../core/words/format';
import { strategyWords } from '../core/words/strategies';
import { shown } from '../core/words/shown';

/** A difference of two shares in points: "+1.2". */
export function points(difference: number): string {
  const text = percentPoints(Math.abs(difference));
  if (text === '0.0') return '±0.0';
  return `${difference > 0 ? '+' : '−'}${text}`;
}

/** What an evaluation is called: its note, who answers in which way, and what is asked. */
export function evaluationTitle(evaluation: EvaluationOut, strategies: readonly StrategyOut[]): string {
  const { note, scorer, other_system, settings, dataset } = evaluation;
  const strategy = strategies.find(({ name }) => name === settings.strategy)?.title ?? settings.strategy;
  const asked = dataset === 'sample' ? 'bundled sample' : dataset;
  return [note, scorer, other_system ? '' : strategy, asked].filter(Boolean).map(shown).join(' · ');
}

const SPLITS = { validation: 'validation questions', train: 'training questions', all: 'questions' } as const;

/** Which questions an evaluation asks. */
function questionsWords({ version, split, limit }: EvaluationOut): string {
  const which =
    limit === null
      ? split === 'all'
        ? 'All questions'
        : `All ${SPLITS[split]}`
      : `${number(limit)} of the ${SPLITS[split]}`;
  return `${which}${version !== null && version > 1 ? ` of version ${version}` : ''}`;
}

/** Upper bound of a group of questions by their number of right answers; null where there is none. */
export function answersBetween(fewest: number, most: number | null): string {
  if (most === null) return filled(RIGHT_ANSWERS.or_more, { fewest: number(fewest) });
  if (fewest === most) return filled(RIGHT_ANSWERS.exactly, { fewest: number(fewest) });
  return filled(RIGHT_ANSWERS.between, { fewest: number(fewest), most: number(most) });
}

/** What stands on every table: the graph, and how topic entities are found. */
export function groundWords({ graph_title, settings, other_system, scorer }: EvaluationOut): string {
  return `Graph: ${shown(graph_title)}; ${other_system ? `answers of ${shown(scorer)}` : topicWords(settings)}`;
}

/** Which questions of what, and how they are asked, in one line that breaks after its dots. */
export function aboutWords(evaluation: EvaluationOut, strategies: readonly StrategyOut[]): string {
  const switches = switchesWords(evaluation, strategies);
  return [questionsWords(evaluation), shown(evaluation.graph_title), ...switches].join('\u00a0· ');
}

function topicWords({ topics }: EvaluationOut['settings']): string {
  return topics === 'gold' ? 'topic given' : 'topic found';
}

/** How an evaluation asks: what differs from the usual. */
export function switchesWords(
  { settings, other_system }: EvaluationOut,
  strategies: readonly StrategyOut[],
): readonly string[] {
  const strategy = strategyWords(strategies, settings.strategy, settings);
  return [
    ...(other_system ? ['predictions of another system'] : [...(strategy ? [strategy] : []), topicWords(settings)]),
    ...(settings.entity_types ? [] : ['no entity types']),
    ...(settings.constraints ? [] : ['no conditions']),
    ...(settings.search === 'chain' ? ['single chain only'] : []),
    ...(settings.min_branches > 1 ? [`searched until ${settings.min_branches} branches`] : []),
    ...(settings.gold_branches_from > 1 ? [`questions of at least ${settings.gold_branches_from} branches`] : []),
    ...(settings.perfect ? ['compared with a perfect model'] : []),
    ...(settings.gold === 'from-graph' ? ['gold answers from the graph'] : []),
  ];
}

const STATUS = {
  queued: 'waiting',
  running: 'running',
  succeeded: 'done',
  failed: 'failed',
  cancelled: 'stopped',
} as const;

/** Where an evaluation stands, in words. */
export function statusWords({ status, done, total }: EvaluationOut): string {
  if (status === 'succeeded') return `${number(done)} questions`;
  if (total === null) return status === 'running' || status === 'queued' ? 'reading questions' : STATUS[status];
  return `${STATUS[status]}, ${number(done)} of ${number(total)}`;
}

/** What was wrong with a benchmark's label, in a word. */
export const CORRECTIONS = {
  wrong: 'wrong',
  incomplete: 'incomplete',
  outdated: 'outdated',
  unanswerable: 'cannot be answered',
  reworded: 'to be reworded',
} as const;
