/** The words for evaluations: short, plain, the same everywhere. */
import type { EvaluationOut } from '../api/types';
import { STAGES } from '../core/cost';
import { number } from '../core/words';
import { shown } from '../core/shown';

/** A share in per cent: "83.5 %"; a dash where there is none. */
export function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? '–' : `${(share * 100).toFixed(1)} %`;
}

/** Which decisions a model card speaks of: all, those of a stage, or those of a source. */
export function choiceWords(of: string): string {
  const words: Readonly<Record<string, string>> = { all: 'All', None: 'None is right', 'not None': 'None is wrong' };
  return words[of] ?? STAGES.find(({ key }) => key === of)?.title ?? of;
}

/** The shares of right choices as people read them: all, the stages in their order, sources, None. */
export function choicesInOrder(shares: Readonly<Record<string, number>>): [of: string, share: number][] {
  const first = ['all', ...STAGES.map(({ key }) => key as string)];
  const rank = (of: string) => {
    if (first.includes(of)) return first.indexOf(of);
    return first.length + (of === 'None' || of === 'not None' ? 1 : 0);
  };
  return Object.entries(shares).sort(([one], [other]) => rank(one) - rank(other));
}

/** What chooses where no model does. */
export function baselineWords(name: string): string {
  const words: Readonly<Record<string, string>> = {
    'most frequent': 'By what was most often right',
    words: 'By words in common',
  };
  return words[name] ?? name;
}

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
export function questionsWords({ dataset, split, limit }: EvaluationOut): string {
  const which =
    limit === null ? (split === 'all' ? 'all questions' : SPLITS[split]) : `${number(limit)} of the ${SPLITS[split]}`;
  return `${dataset === 'sample' ? 'bundled sample' : shown(dataset)}, ${which}`;
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

/** What is told where a page that looks again and again cannot look. */
export const LOST = 'The site cannot be reached. This page looks again by itself.';

/** Whether a worker may still change something. */
export function isAtWork({ status }: EvaluationOut): boolean {
  return status === 'queued' || status === 'running';
}
