/** The words of the page of one's own questions. */
import type { OwnQuestionPageOut } from '../../api/types';
import { number } from '../../core/words/words';

/** Who else may read one's questions. */
export const READERS: Readonly<Record<OwnQuestionPageOut['readers'], string>> = {
  link: 'Whoever has the link of a question may read it, and so may reviewers and administrators.',
  people: 'Whoever is signed in and has the link of a question may read it, and so may reviewers and administrators.',
  asker: 'Nobody else may read them but reviewers and administrators.',
};

/** What it means that a question may be labelled. */
export const LABELLED =
  'What you tick may be given to annotators: they, reviewers and administrators see the words of the question and its ' +
  'graph, never your name. A model of this site may learn from it once it is labelled, or once somebody calls its answer ' +
  'right. Untick it, and no further project or model gets it. Delete it, and its words stay only where somebody has begun ' +
  'to label them.';

/** What goes with a question that was asked so often. */
export function wentWords(times: number): string {
  if (times === 1) return 'Its answer';
  return times === 2 ? 'Both times that you asked it' : `All ${number(times)} times that you asked it`;
}
