/** The error classes of DoG, each in a line. */

export const DOG_CLASSES = [
  {
    name: 'relation',
    title: 'wrong relation',
    text: 'The filter chose a relation that leaves the way to the answer, or none though one was left.',
    colour: 6,
  },
  {
    name: 'stopping',
    title: 'stopped wrongly',
    text: 'The try said that the facts are enough though a relation was left, or went on past the answer.',
    colour: 1,
  },
  {
    name: 'simplification',
    title: 'lost words',
    text: 'The debate took words out of the question that name the next relation.',
    colour: 4,
  },
  {
    name: 'generation',
    title: 'wrong choice at the end',
    text: 'Each decision was right and the facts hold the answer, but another one was given first.',
    colour: 5,
  },
  {
    name: 'aliasing',
    title: 'another name',
    text: 'The first answer is a gold answer by another name. It counts as wrong in all other figures.',
    colour: 3,
  },
  {
    name: 'other',
    title: 'none of these',
    text: 'No round is to blame: the graph lacks the answer, the run failed, or the search began elsewhere or was cut.',
    colour: 2,
  },
] as const;
