/** What a run cost, stage by stage. */
import type { Finished } from '../api/types';

/** A stage, or all together; what was not counted is null. */
export interface StageCost {
  readonly stage: string;
  readonly calls: number | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly seconds: number | null;
}

/** The stages by the names that people read. */
export const STAGES = [
  { key: 'link', title: 'Begin' },
  { key: 'search', title: 'Search' },
  { key: 'prune', title: 'Prune' },
  { key: 'infer', title: 'Answer' },
] as const;

/** The rows of a run's table, all together in the last. */
export function costRows({ cost, costs, seconds }: Finished): readonly StageCost[] {
  const stages = STAGES.map(({ key, title }) => ({
    stage: title,
    calls: costs?.[key].calls ?? null,
    tokensIn: costs?.[key].tokens_in ?? null,
    tokensOut: costs?.[key].tokens_out ?? null,
    seconds: seconds[key],
  }));
  const all = STAGES.reduce((sum, { key }) => sum + seconds[key], 0);
  return [
    ...stages,
    { stage: 'All', calls: cost.calls, tokensIn: cost.tokens_in, tokensOut: cost.tokens_out, seconds: all },
  ];
}
