/** The words of the page of one's own questions. */
import type { OwnQuestionPageOut } from '../../api/types';
import { number } from '../../core/words/format';

/** Who else may read one's questions. */
export const READERS: Readonly<Record<OwnQuestionPageOut['readers'], string>> = {
  link: 'Anyone with the link can read a question. Reviewers and administrators can read all questions.',
  people: 'Signed-in users with the link can read a question. Reviewers and administrators can read all questions.',
  asker: 'Only you, reviewers and administrators can read them.',
};

/** What it means that a question may be labelled. */
export const LABELLED =
  'Selected questions may be labelled. Annotators, reviewers and administrators see the text and the graph, never your ' +
  'name. Models of this site may be trained with a question that is labelled, or whose answer a user marks as right. ' +
  'Deselect a question to keep it out of further projects and trainings. If you delete it, its text stays only where an ' +
  'annotator has started to label it.';

/** What goes with a question that was asked so often. */
export function wentWords(times: number): string {
  if (times === 1) return 'Its answer';
  return times === 2 ? 'Both runs of it' : `All ${number(times)} runs of it`;
}
