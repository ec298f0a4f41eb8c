/** What the screens say of the stages, beside their labels. */
import type { Stage } from '../../api/stages';

interface StageWords {
  /** What the stage decides, in a word or two. */
  readonly decides: string;
  /** The question that each of its decisions answers. */
  readonly asks: string;
  /** What the site does meanwhile. */
  readonly doing: string;
}

export const STAGE_WORDS: Readonly<Record<Stage, StageWords>> = {
  link: { decides: 'where', asks: 'What is the question about?', doing: 'Reading the question' },
  search: { decides: 'which facts', asks: 'Which relation comes next?', doing: 'Searching for the facts that matter' },
  prune: {
    decides: 'which conditions',
    asks: 'Which condition must hold?',
    doing: 'Keeping what meets the conditions',
  },
  infer: {
    decides: 'which place',
    asks: 'Which part of the plan holds the answer?',
    doing: 'Choosing the answer node',
  },
};
