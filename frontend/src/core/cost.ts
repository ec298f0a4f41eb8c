/** What a run cost, stage by stage. */
import { STAGES } from '../api/stages';
import type { Finished } from '../api/types';

/** A stage, or all together; what was not counted is null. */
export interface StageCost {
  readonly stage: string;
  readonly calls: number | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly seconds: number | null;
}

/** The rows of a run's table, all together in the last. */
export function costRows({ cost, costs, seconds }: Finished): readonly StageCost[] {
  const stages = STAGES.map(({ name, label }) => ({
    stage: label,
    calls: costs?.[name].calls ?? null,
    tokensIn: costs?.[name].tokens_in ?? null,
    tokensOut: costs?.[name].tokens_out ?? null,
    seconds: seconds[name],
  }));
  const all = STAGES.reduce((sum, { name }) => sum + seconds[name], 0);
  return [
    ...stages,
    { stage: 'All', calls: cost.calls, tokensIn: cost.tokens_in, tokensOut: cost.tokens_out, seconds: all },
  ];
}
