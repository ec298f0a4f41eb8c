/** The questions that people asked, where a new project may be made of them. */
import type { AskedOut } from '../../../api/labelling/annotation';
import { plural } from '../../../core/words/words';

/** What stands for them in the list of datasets, where no dataset has this id; and the format of their datasets. */
export const ASKED = 'asked';

/** How many of a graph may be labelled. */
export function askedOf(asked: AskedOut | null, graph: string): number {
  return asked?.graphs.find((each) => each.graph === graph)?.questions ?? 0;
}

/** How many there are, or why there are none. */
export function askedWords(count: number, graph: string): string {
  if (count === 0)
    return `Nobody has agreed yet to have a question labelled that was asked of ${graph}. People agree on My questions, question by question; guests cannot.`;
  return `${plural(count, 'question')} that people asked of ${graph} and agreed to have labelled. Equal wordings count once; nobody is told who asked.`;
}
