/** What became of a run, in a few words. */
import type { RunOut } from '../../api/types';
import { UNDECIDED, VERDICT_WORDS } from '../../api/wording';
import { nameShown } from '../words/shown';

type Outcome = Pick<RunOut, 'status' | 'verdict' | 'answers'>;

/** "running", "not in this graph", or the first few answers. */
export function outcomeWords(run: Outcome): string {
  if (run.status === 'queued' || run.status === 'running') return 'running';
  if (run.status === 'cancelled') return 'cancelled';
  if (run.status === 'failed') return 'failed';
  if (run.verdict && run.verdict !== 'answered') return VERDICT_WORDS[run.verdict];
  if (!run.verdict) return UNDECIDED.title.toLowerCase();
  return run.answers.map(nameShown).join(', ');
}

/** Whether runs that ended came to different things, so that they are worth comparing. */
export function differ(runs: readonly Outcome[]): boolean {
  const ended = runs.filter(({ status }) => status === 'succeeded');
  return new Set(ended.map((run) => [...run.answers].sort().join('\n') + (run.verdict ?? ''))).size > 1;
}
