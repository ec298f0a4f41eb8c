/** Pipelines and models in words. */
import type { Bar, Series } from '../../evaluations/charts/Chart.svelte';
import type { PipelineOut, HeldOutOut, StepOut } from '../../api/types';
import { shown } from '../../core/words/shown';
import { isAtWork } from '../../core/words/status';
import { number, percent, plural } from '../../core/words/format';

/** Where a step stands: "done", "at work: epoch, 3 of 12". */
export function stepWords({ state, done, total, says }: StepOut): string {
  const words = state === 'working' ? 'running' : state === 'waiting' && says ? says : state;
  const far = total > 0 && state !== 'done' ? `${number(done)} of ${number(total)}` : '';
  return [words, state === 'waiting' ? '' : shown(says), far].filter(Boolean).join(', ');
}

/** Which questions judge: "the validation questions of sample, version 1, on Sample: 120 questions". */
export function heldOutWords(row: HeldOutOut): string {
  const side = row.split === 'validation' ? 'the validation questions' : 'all questions';
  const count = Math.min(row.limit ?? row.questions, row.questions);
  return `${side} of ${shown(row.dataset)}, version ${row.version}, on ${shown(row.graph)}: ${plural(count, 'question')}`;
}

/** Where a pipeline stands as a whole. */
export function pipelineWords(pipeline: PipelineOut): string {
  const at = pipeline.steps.find(({ link }) => link === pipeline.link);
  if (pipeline.status === 'failed') return shown(pipeline.reason);
  if (pipeline.status === 'cancelled') return `stopped at “${at?.title ?? ''}”`;
  if (isAtWork(pipeline)) return at ? `${at.title}: ${stepWords(at)}` : '';
  return pipeline.reviewed_at === null ? 'to be reviewed' : 'reviewed';
}

/** Versions of models in the order in which they were judged, those that the same questions judged in one line. */
export function versionSeries(pipelines: readonly PipelineOut[], pinned: HeldOutOut | null): readonly Series[] {
  const judged = pipelines.filter(({ comparison, held_out }) => comparison !== null && held_out.id === pinned?.id);
  const ordered = [...judged].reverse();
  const series = (name: string, which: 'f1' | 'right'): Series => ({
    name,
    bars: ordered.map((pipeline): Bar => {
      const mean = pipeline.comparison?.[which];
      const bounds = mean?.interval;
      const between = bounds ? `, 95 % between ${percent(bounds.low)} and ${percent(bounds.high)}` : '';
      return {
        label: shown(pipeline.name),
        value: mean?.value ?? null,
        words: `${percent(mean?.value)}${between}`,
        note: `compared with ${shown(pipeline.against)}`,
        href: `/learning/${pipeline.id}`,
        interval: bounds ? [bounds.low, bounds.high] : null,
      };
    }),
  });
  return [series('F1', 'f1'), series('Right first answers', 'right')];
}

/** The default settings in words: of an encoder, and of a language model with a base. */
export function usualSettings(base: string): { epochs: string; rate: string; share: string } {
  if (!base) return { epochs: '6', rate: '0.001', share: '0.1' };
  return base === 'new'
    ? { epochs: '4', rate: '0.002', share: '0.08' }
    : { epochs: '3', rate: '0.0002', share: '0.08' };
}

const LONGEST_NAME = 60;

/** A name for the next model that no other bears. */
export function nextName(taken: readonly string[]): string {
  let count = 1;
  while (taken.includes(`model-${count}`)) count += 1;
  return `model-${count}`.slice(0, LONGEST_NAME);
}
