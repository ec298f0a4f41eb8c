/** The error classes of READS, each in a line. */

export const CASES = [
  { name: 'C1', title: 'right', text: 'The first answer is right.', colour: 3 },
  {
    name: 'E1',
    title: 'search failed',
    text: 'The facts that the search found do not contain the answer.',
    colour: 6,
  },
  {
    name: 'E2',
    title: 'pruning failed',
    text: 'A later answer is right, but the first one is not.',
    colour: 1,
  },
  {
    name: 'E3',
    title: 'wrong answer node',
    text: 'The facts that the search found contain the answer, but all answers are wrong.',
    colour: 4,
  },
  {
    name: 'C2',
    title: 'right by chance',
    text: 'A right answer that the facts do not contain. This must never happen.',
    colour: 5,
  },
] as const;
