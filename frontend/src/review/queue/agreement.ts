/** How far reviewers agree with what is proposed, laid out and in words. */
import type { ReviewAgreementOut } from '../../api/review/review';
import { fixed, number, plural } from '../../core/words/format';

/** From here on the proposals can be relied on. */
export const GOAL = 0.8;

export interface Matrix {
  /** What is proposed: the rows, the most frequent first. */
  readonly causes: readonly string[];
  /** What was said: the columns, those first that are proposed, too. */
  readonly columns: readonly string[];
  readonly cases: (proposed: string, said: string) => number;
}

/** The table of what is proposed and what was said. */
export function matrixOf(table: ReviewAgreementOut['table']): Matrix {
  const causes = [...new Set(table.map(({ proposed }) => proposed))];
  const said = new Set(table.map((cell) => cell.said));
  return {
    causes,
    columns: [...causes.filter((cause) => said.has(cause)), ...[...said].filter((each) => !causes.includes(each))],
    cases: (proposed, named) => table.find((cell) => cell.proposed === proposed && cell.said === named)?.cases ?? 0,
  };
}

/** "κ 0.83 over 1,200 cases, goal 0.80". */
export function kappaWords({ cases, kappa }: ReviewAgreementOut): string {
  if (cases === 0) return 'no verdict yet';
  if (kappa === null) return `κ is not defined, ${plural(cases, 'case')}`;
  return `κ ${fixed(kappa, 2)} over ${plural(cases, 'case')}, goal ${fixed(GOAL, 2)}`;
}

/** What the figure says so far, in a sentence. */
export function readingOf({ cases, kappa }: ReviewAgreementOut): string {
  if (cases === 0) return 'No proposal is reviewed yet.';
  if (kappa === null) {
    return 'κ is not defined here, because all proposals and verdicts are the same.';
  }
  const so = kappa >= GOAL ? 'The proposals are reliable' : 'The proposals are not reliable yet';
  return cases < ENOUGH ? `${so}, based on ${plural(cases, 'case')}; ${number(ENOUGH)} are enough.` : `${so}.`;
}

/** Minimum of verdicts for a figure. */
const ENOUGH = 200;
