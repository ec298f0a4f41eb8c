/** The error classes of DoG, each in a line. */
import { DOG_CLASSES as WORDS } from '../../api/wording';

type Name = keyof typeof WORDS;

const COLOURS: Readonly<Record<Name, number>> = {
  relation: 6,
  stopping: 1,
  simplification: 4,
  generation: 5,
  aliasing: 3,
  other: 2,
};

export const DOG_CLASSES = (Object.keys(WORDS) as Name[]).map((name) => ({
  name,
  ...WORDS[name],
  colour: COLOURS[name],
}));
