/** The words for evaluations: short, plain, the same everywhere. */
import type { EvaluationOut } from '../api/types';
import { number } from '../core/words';
import { shown } from '../core/shown';

/** A difference of two shares in points: "+1.2". */
export function points(difference: number): string {
  const text = (Math.abs(difference) * 100).toFixed(1);
  if (text === '0.0') return '±0.0';
  return `${difference > 0 ? '+' : '−'}${text}`;
}

/** What an evaluation is called. */
export function evaluationTitle({ note, dataset }: EvaluationOut): string {
  return shown(note || (dataset === 'sample' ? 'Sample' : dataset));
}

const SPLITS = { validation: 'validation questions', train: 'training questions', all: 'questions' } as const;

/** Which questions an evaluation asks. */
function questionsWords({ dataset, version, split, limit }: EvaluationOut): string {
  const which =
    limit === null ? (split === 'all' ? 'all questions' : SPLITS[split]) : `${number(limit)} of the ${SPLITS[split]}`;
  const name = dataset === 'sample' ? 'bundled sample' : shown(dataset);
  return `${name}${version !== null && version > 1 ? ` (version ${version})` : ''}, ${which}`;
}

/** What stands on every table: the graph, and how topic entities are found. */
export function groundWords({ graph_title, settings }: EvaluationOut): string {
  return `Graph: ${shown(graph_title)}; ${topicWords(settings)}`;
}

/** Who answers which questions of what, in one line that breaks after its dots. */
export function aboutWords(evaluation: EvaluationOut): string {
  const { graph_title, scorer } = evaluation;
  return [questionsWords(evaluation), shown(graph_title), shown(scorer), ...switchesWords(evaluation)].join('\u00a0· ');
}

function topicWords({ topics }: EvaluationOut['settings']): string {
  return topics === 'gold' ? 'topic given' : 'topic found';
}

/** How an evaluation asks: what differs from the usual. */
export function switchesWords({ settings }: EvaluationOut): readonly string[] {
  return [
    topicWords(settings),
    ...(settings.entity_types ? [] : ['no entity types']),
    ...(settings.constraints ? [] : ['no conditions']),
    ...(settings.search === 'chain' ? ['chains alone'] : []),
    ...(settings.min_branches > 0 ? [`at least ${settings.min_branches} branches`] : []),
    ...(settings.perfect ? ['beside a perfect chooser'] : []),
    ...(settings.gold === 'from-graph' ? ['gold answers from the graph'] : []),
  ];
}

const STATUS = {
  queued: 'waiting',
  running: 'at work',
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
