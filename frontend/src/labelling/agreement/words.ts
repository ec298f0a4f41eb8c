/** The words for agreement: what each measure says, and its figure as people read it. */
import type {
  AgreementFigure,
  AgreementMeasures,
  AgreementTaskOut,
  AgreementWorkOut,
  SuggestionContrast,
} from '../../api/labelling/agreement';
import { STAGES, type Stage } from '../../api/stages';
import { shown } from '../../core/words/shown';
import { fixed, number, plural } from '../../core/words/format';

export type MeasureName = keyof AgreementMeasures;

export interface Measure {
  readonly name: MeasureName;
  readonly title: string;
  readonly text: string;
  /** The ends of its scale, the worse one first; null where it has none. */
  readonly scale: readonly [number, number] | null;
}

/** The measures in the order in which they are read. */
export const MEASURES: readonly Measure[] = [
  {
    name: 'answers',
    title: 'Answers, F1',
    text: 'Overlap of the answers of two labels: 1 if equal, 0 if none in common. Two labels without an answer agree.',
    scale: [0, 1],
  },
  {
    name: 'alpha',
    title: 'Answers, Krippendorff’s α',
    text: 'The same, corrected for chance: 1 is perfect, 0 is chance, below 0 is worse. Krippendorff recommends at least 0.80 for reliable labels, and 0.67 for tentative conclusions.',
    scale: [0, 1],
  },
  {
    name: 'same_derivation',
    title: 'Same derivation',
    text: 'Share of pairs of equal derivations. The order of steps does not matter.',
    scale: [0, 1],
  },
  {
    name: 'facts',
    title: 'Facts, F1',
    text: 'Overlap of the facts of two labels, after the conditions.',
    scale: [0, 1],
  },
  {
    name: 'distance',
    title: 'Edit distance',
    text: 'Number of nodes and relations to add, remove or rename to turn one structure into the other. 0 is best.',
    scale: null,
  },
  {
    name: 'kappa_kind',
    title: 'Kind of label, Cohen’s κ',
    text: 'Agreement on the kind of label (for example a derivation, or that the question cannot be answered), corrected for chance. If nearly all labels are of one kind, a few differences make it low.',
    scale: [0, 1],
  },
  {
    name: 'kappa_topic',
    title: 'Topic, Cohen’s κ',
    text: 'Agreement on the topic entity, corrected for chance. For more than two people, κ is the mean of all pairs.',
    scale: [0, 1],
  },
];

/** A figure: "0.57", or a dash where it is not defined. */
export function valueWords(value: number | null | undefined): string {
  return fixed(value, 2);
}

/** Its 95 % interval: "0.27 to 0.88"; "" where none is drawn. */
export function intervalWords({ low, high }: AgreementFigure): string {
  return typeof low === 'number' && typeof high === 'number' ? `${valueWords(low)} to ${valueWords(high)}` : '';
}

/** Over how many questions it is, and what it leaves out. */
export function groundWords({ questions, left_out }: AgreementFigure): string {
  const left = Object.entries(left_out ?? {}).map(([what, count]) => `${shown(what)} (${number(count)})`);
  const over = `Over ${plural(questions, 'question')}`;
  return left.length > 0 ? `${over}. Left out: ${left.join('; ')}.` : `${over}.`;
}

/** What a stage is called. */
export function stageName(stage: Stage): string {
  return STAGES.find(({ name }) => name === stage)?.label ?? stage;
}

/** What is decided in a stage. */
export const DECIDED: Readonly<Record<Stage, string>> = {
  link: 'the topic entity',
  search: 'the facts of the search',
  prune: 'the conditions',
  infer: 'the answer node',
};

export const CONTRASTS: Readonly<
  Record<SuggestionContrast['what'], { readonly title: string; readonly text: string; readonly most: number | null }>
> = {
  as_suggested: {
    title: 'As suggested',
    text: 'Share of labels that equal the suggestion (for blind labels: the one that was not shown).',
    most: 1,
  },
  agreement: {
    title: 'Agreement',
    text: 'F1 of the answers of two labels of a question. If it is much higher with a suggestion, annotators may agree with the suggestion, not with each other.',
    most: 1,
  },
  rightness: {
    title: 'Correctness',
    text: 'F1 of the answers compared with the known answers. If it is lower with a suggestion, the suggestion misleads.',
    most: 1,
  },
  seconds: { title: 'Seconds', text: 'Active time per label.', most: null },
};

/** A figure of a contrast: a share as others, seconds whole. */
export function contrastWords(what: SuggestionContrast['what'], value: number | null | undefined): string {
  if (what !== 'seconds') return valueWords(value);
  return value === null || value === undefined
    ? '–'
    : `${value < 0 ? '−' : ''}${number(Math.abs(Math.round(value)))} s`;
}

/** What a difference comes to, in a sentence. */
export function differenceWords({ what, difference }: SuggestionContrast): string {
  const { value, low, high, why } = difference;
  if (value === null) return shown(why);
  const more = `${value > 0 ? '+' : ''}${contrastWords(what, value)} with a suggestion`;
  if (typeof low !== 'number' || typeof high !== 'number') return `${more}; too few questions for a conclusion`;
  const between = `between ${contrastWords(what, low)} and ${contrastWords(what, high)}`;
  return `${more}, ${between}: ${low > 0 || high < 0 ? 'significant' : 'not significant'}`;
}

/** How the labels of a task stand to each other, in a line. */
export function taskWords(task: AgreementTaskOut): string {
  if (task.agreed) return 'all equal';
  const said = new Set(task.labels.map(({ kind }) => kind));
  return [
    task.answers === null ? 'no answers to compare' : `answers ${valueWords(task.answers)}`,
    ...(task.parted === null ? [] : [`first difference: ${stageName(task.parted)}`]),
    ...(task.distance ? [`${plural(Math.round(task.distance * 10) / 10, 'edit')}`] : []),
    ...(said.size > 1 ? ['of different kinds'] : []),
  ].join(', ');
}

/** How far a worker is, in a line. */
export function workWords({ status, done, wanted }: AgreementWorkOut): string {
  const so = `${number(done)} of ${plural(wanted, 'question')} compared`;
  switch (status) {
    case 'queued':
      return `${so}, waiting`;
    case 'running':
      return `${so}, running`;
    case 'succeeded':
      return so;
    case 'failed':
      return `${so}, failed`;
    case 'cancelled':
      return `${so}, stopped`;
  }
}
