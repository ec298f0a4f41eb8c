/** What reviewers may say of a case, and of what was to blame. */
import type { CaseOut, ReviewEntryOut, ReviewerOut } from '../../api/review/review';
import { shown } from '../../core/words/shown';

type Says = NonNullable<CaseOut['says']>;

/** The verdicts in the order of their keys, 1 to 5. */
export const VERDICTS: readonly { readonly says: Says; readonly title: string; readonly short: string }[] = [
  { says: 'agree', title: 'The proposed cause is right', short: 'Cause is right' },
  { says: 'other', title: 'Another cause', short: 'Another cause' },
  { says: 'gold', title: 'The benchmark is wrong', short: 'Benchmark is wrong' },
  { says: 'no_error', title: 'Not an error', short: 'Not an error' },
  { says: 'unsure', title: 'Unsure', short: 'Unsure' },
];

/** Each cause that may be named, with what it means. */
export const CAUSES: readonly { readonly cause: string; readonly text: string }[] = [
  { cause: 'linking', text: 'The run started at another topic entity.' },
  { cause: 'wrong relation', text: 'A step followed a wrong relation.' },
  { cause: 'stopped too early', text: 'The search stopped although another step was needed.' },
  { cause: 'went on too far', text: 'The search took a step that was not needed.' },
  { cause: 'cut by a limit', text: 'The run reached its limit of steps or time.' },
  { cause: 'wrong constraint', text: 'A wrong condition was added.' },
  { cause: 'missing constraint', text: 'A condition is missing.' },
  { cause: 'wrong place', text: 'Another node was chosen as the answer node.' },
  { cause: 'order of answers', text: 'A later answer is right; the first is wrong.' },
  { cause: 'gap in the graph', text: 'The graph lacks answers, or facts that lead to them.' },
  { cause: 'gold answers differ', text: 'The gold query gives other answers on this graph.' },
  { cause: 'ambiguous question', text: 'The question has more than one reading.' },
];

/** Causes that are shown under another name than they are stored. */
const CAUSE_TITLES: ReadonlyMap<string, string> = new Map([
  ['wrong place', 'wrong answer node'],
  ['gap in the graph', 'graph gap'],
]);

/** A cause as it is shown, for the name under which it is stored. */
export function causeTitle(cause: string): string {
  return CAUSE_TITLES.get(cause) ?? cause;
}

/** How the benchmark may be wrong. */
export const GOLD_KINDS: readonly { readonly cause: string; readonly text: string }[] = [
  { cause: 'wrong', text: 'It has wrong answers.' },
  { cause: 'incomplete', text: 'It lacks answers.' },
  { cause: 'outdated', text: 'It was right in the past.' },
];

/** A verdict in words, with its cause: "Another cause: linking", "The benchmark is wrong: incomplete". */
export function verdictWords(says: string, cause: string): string {
  const title = VERDICTS.find((each) => each.says === says)?.title ?? '';
  const named = says === 'gold' ? cause.replace(/^gold /, '') : causeTitle(cause);
  return named && (says === 'gold' || says === 'other') ? `${title}: ${named}` : title;
}

/** The causes that may be named instead of the proposed one. */
export function otherCauses(proposed: string): typeof CAUSES {
  return CAUSES.filter(({ cause }) => cause !== proposed);
}

/** What an entry of a history did: "said: Not an error; wrote “…”; handed it to Rosa"; or that it took that back. */
export function didWords(entry: ReviewEntryOut, reviewers: readonly ReviewerOut[]): string {
  const { says, cause, comment, assignee, undone } = entry;
  const named = reviewers.find(({ username }) => username === assignee)?.name ?? assignee ?? '';
  const did = [
    says === null ? '' : says === '' ? 'removed the verdict' : `verdict: ${verdictWords(says, cause ?? '')}`,
    comment === null ? '' : comment === '' ? 'removed the comment' : `wrote “${shown(comment)}”`,
    assignee === null ? '' : assignee === '' ? 'removed the assignee' : `assigned it to ${shown(named)}`,
  ].filter(Boolean);
  if (!undone) return did.join('; ');
  const left = [
    says === null ? '' : says === '' ? 'no verdict' : verdictWords(says, cause ?? ''),
    comment === null ? '' : comment === '' ? 'no comment' : `“${shown(comment)}”`,
    assignee === null ? '' : assignee === '' ? 'assigned to no one' : `assigned to ${shown(named)}`,
  ].filter(Boolean);
  return `undid this: ${left.join('; ')} again`;
}
