/** The words of the page of one's own questions. */
import type { OwnQuestionPageOut } from '../api/types';

/** Who else may read one's questions. */
export const READERS: Readonly<Record<OwnQuestionPageOut['readers'], string>> = {
  link: 'Whoever has the link of a question may read it, and so may reviewers and administrators.',
  people: 'Whoever is signed in and has the link of a question may read it, and so may reviewers and administrators.',
  asker: 'Nobody else may read them but reviewers and administrators.',
};
