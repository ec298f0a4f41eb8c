/** The error classes of READS, each in a line. */

export const CASES = [
  { name: 'C1', title: 'right', text: 'The answer was found, and the first one told is right.', colour: 3 },
  {
    name: 'E1',
    title: 'search failed',
    text: 'The answer is not among the facts that the search brought in.',
    colour: 6,
  },
  {
    name: 'E2',
    title: 'pruning failed',
    text: 'The answer is among those told, but the first one told is another.',
    colour: 1,
  },
  {
    name: 'E3',
    title: 'wrong place',
    text: 'The answer is among the facts that the search brought in, and none of those told is right.',
    colour: 4,
  },
  {
    name: 'C2',
    title: 'right by chance',
    text: 'A right answer that is not among the facts found. This must never happen.',
    colour: 5,
  },
] as const;
