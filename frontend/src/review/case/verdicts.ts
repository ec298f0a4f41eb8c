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
  { cause: 'linking', text: 'Another topic entity was taken.' },
  { cause: 'wrong relation', text: 'A step followed another relation than the right one.' },
  { cause: 'stopped too early', text: 'The search ended though a step was left to take.' },
  { cause: 'went on too far', text: 'A step was taken though none was left to take.' },
  { cause: 'cut by a limit', text: 'The run could not take all the steps it needed, or took too long.' },
  { cause: 'wrong constraint', text: 'A condition was set that does not belong there.' },
  { cause: 'missing constraint', text: 'A condition was left out.' },
  { cause: 'wrong place', text: 'Another place was taken for the one that holds the answer.' },
  { cause: 'order of answers', text: 'The right answer is there; another one comes first.' },
  { cause: 'gap in the graph', text: 'The graph lacks answers, or a part of the way to them.' },
  { cause: 'gold answers differ', text: 'By the benchmark’s own way this graph gives other answers.' },
  { cause: 'ambiguous question', text: 'The question can be read in more than one way.' },
];

/** How the benchmark may be wrong. */
export const GOLD_KINDS: readonly { readonly cause: string; readonly text: string }[] = [
  { cause: 'wrong', text: 'It says answers that are wrong.' },
  { cause: 'incomplete', text: 'It leaves answers out.' },
  { cause: 'outdated', text: 'It was right once.' },
];

/** A verdict in words, with its cause: "Another cause: linking", "The benchmark is wrong: incomplete". */
export function verdictWords(says: string, cause: string): string {
  const title = VERDICTS.find((each) => each.says === says)?.title ?? '';
  const named = says === 'gold' ? cause.replace(/^gold /, '') : cause;
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
    says === null ? '' : says === '' ? 'said nothing any more' : `said: ${verdictWords(says, cause ?? '')}`,
    comment === null ? '' : comment === '' ? 'removed the comment' : `wrote “${shown(comment)}”`,
    assignee === null ? '' : assignee === '' ? 'handed it to nobody' : `handed it to ${shown(named)}`,
  ].filter(Boolean);
  if (!undone) return did.join('; ');
  const left = [
    says === null ? '' : says === '' ? 'no verdict' : verdictWords(says, cause ?? ''),
    comment === null ? '' : comment === '' ? 'no comment' : `“${shown(comment)}”`,
    assignee === null ? '' : assignee === '' ? 'assigned to nobody' : `assigned to ${shown(named)}`,
  ].filter(Boolean);
  return `took that back: ${left.join('; ')} again`;
}
