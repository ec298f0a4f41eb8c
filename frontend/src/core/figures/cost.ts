/** What a run cost, stage by stage. */
import { STAGES } from '../../api/stages';
import type { CostRecord, Finished } from '../../api/types';
import { plural, secondsWords } from '../words/format';

/** A stage, or all together; what was not counted is null. */
export interface StageCost {
  readonly stage: string;
  readonly calls: number | null;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly seconds: number | null;
}

/** "1 model call · 12 tokens in · 3 tokens out · 0.20 s". */
export function costWords({ calls, tokens_in, tokens_out }: CostRecord, seconds: number): string {
  const tokens = [`${plural(tokens_in, 'token')} in`, `${plural(tokens_out, 'token')} out`];
  return [plural(calls, 'model call'), ...tokens, secondsWords(seconds)].join(' · ');
}

/** The rows of a run's table, by stage in the order in which the run has them, all together in the last. */
export function costRows({ cost, costs, seconds }: Finished): readonly StageCost[] {
  const labels = new Map<string, string>(STAGES.map(({ name, label }) => [name, label]));
  const stages = Object.entries(seconds).map(([name, spent]) => {
    const stageCost = costs?.[name];
    return {
      stage: labels.get(name) ?? name,
      calls: stageCost?.calls ?? null,
      tokensIn: stageCost?.tokens_in ?? null,
      tokensOut: stageCost?.tokens_out ?? null,
      seconds: spent,
    };
  });
  const all = Object.values(seconds).reduce((sum, spent) => sum + spent, 0);
  return [
    ...stages,
    { stage: 'All', calls: cost.calls, tokensIn: cost.tokens_in, tokensOut: cost.tokens_out, seconds: all },
  ];
}
