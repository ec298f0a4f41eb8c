/** Several evaluations as one table, in words. */
import type { StandingOut, StandingsOut } from '../../api/evaluations/comparisons';
import { fixed, number, percent, plural, secondsWords } from '../../core/words/format';
import type { Series } from '../charts/Chart.svelte';

type Mean = { readonly value: number; readonly low: number; readonly high: number };

/** The letters by which evaluations are called that stand side by side. */
export const LETTERS = 'ABCDEFGHIJKL';

/** The server compares no more at a time. */
export const MOST_COMPARED = LETTERS.length;

/** A figure of the table: what it is called, what it is, and how it is written. */
export interface Column {
  readonly name: 'right' | 'f1' | 'hit' | 'exact' | 'recall' | 'seconds' | 'calls' | 'tokens_in' | 'tokens_out';
  readonly title: string;
  readonly text: string;
  readonly words: (value: number) => string;
}

const count = (value: number) => (value < 100 ? fixed(value, 1) : number(Math.round(value)));

export const COLUMNS: readonly Column[] = [
  {
    name: 'right',
    title: 'Right',
    text: 'The share of questions whose first answer is right (Hits@1), or which have no answer and were given none.',
    words: percent,
  },
  { name: 'f1', title: 'F1', text: 'Mean F1 of the answers of a question.', words: percent },
  {
    name: 'hit',
    title: 'Hit',
    text: 'The share of questions with at least one right answer.',
    words: percent,
  },
  {
    name: 'exact',
    title: 'Exact',
    text: 'The share of questions with exactly the right answers.',
    words: percent,
  },
  { name: 'recall', title: 'Recall', text: 'Mean share of right answers that were found.', words: percent },
  {
    name: 'seconds',
    title: 'Seconds',
    text: 'Time per question, on the machine of the evaluation.',
    words: secondsWords,
  },
  { name: 'calls', title: 'Model calls', text: 'Model calls per question.', words: count },
  { name: 'tokens_in', title: 'Tokens in', text: 'Tokens that the model read per question.', words: count },
  { name: 'tokens_out', title: 'Tokens out', text: 'Tokens that the model wrote per question.', words: count },
];

/** A mean with its interval: "61.5 % (54.0 % to 69.0 %)"; a dash where it is not known. */
export function meanWords(mean: Mean | null, words: (value: number) => string): string {
  return mean === null ? '–' : words(mean.value);
}

/** Between what it lies: "54.0 % to 69.0 %"; empty where that is not known. */
export function boundsWords(mean: Mean | null, words: (value: number) => string): string {
  return mean === null ? '' : `${words(mean.low)} to ${words(mean.high)}`;
}

/** The best of a column by its value: more is better of shares, less of costs; null where fewer than two are known. */
export function bestOf(standings: readonly StandingOut[], { name }: Column): number | null {
  const values = standings.flatMap((each) => (each[name] === null ? [] : [each[name].value]));
  if (values.length < 2 || new Set(values).size === 1) return null;
  const less = name === 'seconds' || name === 'calls' || name === 'tokens_in' || name === 'tokens_out';
  return less ? Math.min(...values) : Math.max(...values);
}

/** Accuracy against seconds: a point for each evaluation whose seconds are known. */
export function accuracySeries(table: StandingsOut, titles: readonly string[]): readonly Series[] {
  return table.standings.flatMap(({ evaluation, right, seconds }, index) =>
    right === null || seconds === null
      ? []
      : [
          {
            name: `${LETTERS[index]} ${titles[index]}`,
            bars: [
              {
                label: LETTERS[index] ?? '',
                at: seconds.value,
                value: right.value,
                words: percent(right.value),
                note: `${boundsWords(right, percent)}, ${secondsWords(seconds.value)} per question`,
                href: `/evaluations/${evaluation.id}`,
                interval: [right.low, right.high] as const,
              },
            ],
          },
        ],
  );
}

/** How often the vote is right, by how many agree. */
export function voteSeries({ agreement, standings }: StandingsOut): readonly Series[] {
  if (agreement === null) return [];
  return [
    {
      name: 'The vote',
      bars: [...agreement.degrees].reverse().map(({ agree, questions, right }) => ({
        label: agree === 0 ? 'no answer' : `${agree} of ${standings.length}`,
        value: right.value,
        words: percent(right.value),
        note: `${plural(questions, 'question')}, between ${boundsWords(right, percent)}`,
        href: null,
        interval: [right.low, right.high] as const,
      })),
    },
  ];
}

/** The address at which reviewers find the questions of a kind of agreement, as cases of the first. */
export function casesAddress(ids: readonly string[], kind: string): string {
  const [first, ...beside] = ids;
  const query = new URLSearchParams([['agreement', kind], ...beside.map((id) => ['beside', id])]);
  return `/review/${first}?${query.toString()}`;
}
