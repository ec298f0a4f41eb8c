/** Comparison of the runs of one question. */
import type { PartingOut, SideBySideOut } from '../api/asking/sideBySide';
import type { RunEventOut } from '../api/types';
import { stepEnds } from '../core/events/run';

/** The step of the theatre, from 1, that shows the event with this number; null if no step does. */
export function stepOf(events: readonly RunEventOut[], seq: number): number | null {
  const at = events.findIndex((each) => each.seq === seq);
  if (at < 0) return null;
  const step = stepEnds(events).findIndex((end) => at < end);
  return step < 0 ? null : step + 1;
}

/** Runs that leave the others with the same decision. */
export interface Branch {
  readonly runs: readonly string[];
  /** That decision; empty where all that they decided, all others decided too. */
  readonly words: string;
}

/** Where runs part: those that decide the same stand together, the most first. */
export function branchesOf({ runs }: PartingOut): readonly Branch[] {
  const alike = new Map<number, { runs: string[]; words: string }>();
  for (const each of runs) {
    const branch = alike.get(each.alike);
    if (branch) branch.runs.push(each.run);
    else alike.set(each.alike, { runs: [each.run], words: each.words });
  }
  return [...alike.values()].sort((one, other) => other.runs.length - one.runs.length);
}

/** A letter for those runs that give the same answers: A for the most of them; none where it is not compared. */
export function letterOf({ same_answers }: SideBySideOut, run: string): string {
  const at = same_answers.findIndex((group) => group.includes(run));
  return at < 0 ? '' : String.fromCharCode(65 + at);
}

/** Whether they agree, in a sentence; empty until two can be compared. */
export function agreementWords({ compared, same_answers, runs }: SideBySideOut): string {
  const [most] = same_answers;
  if (compared < 2 || !most) return '';
  const rest = compared < runs.length ? ` (${runs.length} runs in total)` : '';
  if (same_answers.length === 1) return `All ${compared} give the same answers${rest}.`;
  if (most.length === 1) return `All ${compared} give different answers${rest}.`;
  return `${most.length} of ${compared} give the same answers${rest}.`;
}
