/** Which relation was taken for which, as a map: a row for a gold relation, a column for a chosen one. */
import type { SlicesOut } from '../../api/evaluations/comparisons';

type Pair = SlicesOut['confused'][number];

/** Maximum of rows and columns that are drawn. */
export const MOST = 15;
const LONGEST = 26;

export interface ConfusionMap {
  /** Short names of gold relations, the most confused first, by their full ones. */
  readonly gold: ReadonlyMap<string, string>;
  readonly chosen: ReadonlyMap<string, string>;
  /** The pairs that are drawn. */
  readonly pairs: readonly Pair[];
  /** The number of questions behind them. */
  readonly questions: number;
}

/** The map of the most frequent pairs, as far as there is room for their relations. */
export function confusionMap(pairs: readonly Pair[]): ConfusionMap {
  const [gold, chosen] = [new Set<string>(), new Set<string>()];
  for (const pair of pairs) {
    const fits = (gold.has(pair.gold) || gold.size < MOST) && (chosen.has(pair.chosen) || chosen.size < MOST);
    if (!fits) continue;
    gold.add(pair.gold);
    chosen.add(pair.chosen);
  }
  const drawn = pairs.filter((pair) => gold.has(pair.gold) && chosen.has(pair.chosen));
  return {
    gold: shortNames(byQuestions(drawn, 'gold')),
    chosen: shortNames(byQuestions(drawn, 'chosen')),
    pairs: drawn,
    questions: drawn.reduce((sum, { questions }) => sum + questions, 0),
  };
}

function byQuestions(pairs: readonly Pair[], side: 'gold' | 'chosen'): readonly string[] {
  const sums = new Map<string, number>();
  for (const pair of pairs) sums.set(pair[side], (sums.get(pair[side]) ?? 0) + pair.questions);
  return [...sums].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/** By name, as few of its last parts as make it unique; a long one loses its middle. */
export function shortNames(names: readonly string[]): ReadonlyMap<string, string> {
  const short = new Map<string, string>();
  for (const name of names) {
    const back = name.startsWith('^') ? '^' : '';
    const parts = name.slice(back.length).split('.');
    const shortened = parts.map((_, index) => cut(back + parts.slice(parts.length - 1 - index).join('.')));
    const others = names.filter((other) => other !== name);
    const alone = shortened.find((each) => !others.some((other) => endsLike(other, each)));
    short.set(name, alone ?? name);
  }
  return short;
}

/** Whether another name would be shortened to the same. */
function endsLike(name: string, short: string): boolean {
  const back = name.startsWith('^') ? '^' : '';
  const parts = name.slice(back.length).split('.');
  return parts.some((_, index) => cut(back + parts.slice(parts.length - 1 - index).join('.')) === short);
}

function cut(name: string): string {
  if (name.length <= LONGEST) return name;
  const half = Math.floor((LONGEST - 1) / 2);
  return `${name.slice(0, half)}…${name.slice(-half)}`;
}
