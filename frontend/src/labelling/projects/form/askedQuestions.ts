/** The questions that people asked, where a new project may be made of them. */
import type { AskedOut } from '../../../api/labelling/annotation';
import { plural } from '../../../core/words/format';

/** What stands for them in the list of datasets, where no dataset has this id; and the format of their datasets. */
export const ASKED = 'asked';

/** How many of a graph may be labelled. */
export function askedOf(asked: AskedOut | null, graph: string): number {
  return asked?.graphs.find((each) => each.graph === graph)?.questions ?? 0;
}

/** How many there are, or why there are none. */
export function askedWords(count: number, graph: string): string {
  if (count === 0)
    return `No user has released questions about ${graph} for labelling yet. Users release each question on My questions; visitors cannot.`;
  return `${plural(count, 'question')} about ${graph} that users released for labelling. Equal texts count once. The names of users are not shown.`;
}
