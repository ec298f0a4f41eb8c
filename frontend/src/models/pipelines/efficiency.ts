/** Data efficiency as curves and in words. */
import type { EfficiencyOut } from '../../api/types';
import { shown } from '../../core/words/shown';
import { decimal, number, percent, plural } from '../../core/words/format';
import type { Bar, Series } from '../../evaluations/charts/Chart.svelte';
import { choiceWords, choicesInOrder } from '../trainings/words';

/** A curve for each stage, and one for all of them. */
export function efficiencySeries({ figures }: EfficiencyOut): readonly Series[] {
  const stages = choicesInOrder(Object.fromEntries(figures.map(({ stage }) => [stage, 0]))).map(([stage]) => stage);
  return stages.map((stage) => ({
    name: choiceWords(stage),
    bars: figures
      .filter((figure) => figure.stage === stage)
      .map(({ share, accuracy, low, high, questions, samples, decisions }): Bar => {
        const between = low === null || high === null ? '' : `, 95 % between ${percent(low)} and ${percent(high)}`;
        return {
          label: `${decimal(100 * share, 2)} %`,
          value: accuracy,
          words: `${percent(accuracy)} of ${plural(decisions, 'decision')}${between}`,
          note: `after ${plural(questions, 'question')}, ${plural(samples, 'decision')}`,
          href: null,
          interval: low === null || high === null ? null : [low, high],
        };
      }),
  }));
}

/** What it was measured on: "The bundled sample; at most 300 validation decisions of each stage". */
export function efficiencyGround({ title, questions, tested }: EfficiencyOut): string {
  const read = questions === null ? '' : `, ${plural(questions, 'question')} of each source`;
  return `${shown(title)}${read}; at most ${number(tested)} validation decisions of each stage`;
}
