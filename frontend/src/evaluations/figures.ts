/** An evaluation's figures as people read them, each with a line that explains it. */
import { STAGES } from '../api/stages';
import type { EvaluationDetailOut } from '../api/types';
import type { StageCost } from '../core/figures/cost';
import type { Entry } from '../core/words/glossary';
import { fixed, decimal, number, percent, plural, secondsWords } from '../core/words/format';
import type { Filter } from './questions/query';
import { points } from './words';

type Figures = EvaluationDetailOut['figures'];
type Known = NonNullable<Figures>;

/** A figure with its explanation. */
interface Figure extends Entry {
  readonly value: string;
  /** The questions behind it, where they are not simply all. */
  readonly filter?: Filter;
}

/** Figures of the same questions. */
export interface FigureGroup {
  readonly title: string;
  readonly figures: readonly Figure[];
}

/** A figure of two evaluations. */
export interface ComparedFigure extends Entry {
  readonly first: string;
  readonly second: string;
  readonly difference: string;
  /** Whether the second is better; null where neither is. */
  readonly better: boolean | null;
}

type Group = 'all' | 'graph' | 'reachable' | 'apart' | 'cost';

interface Definition extends Entry {
  readonly group: Group;
  readonly read: (figures: Known) => number | null | undefined;
  readonly kind: 'share' | 'number' | 'seconds' | 'count';
  /** What a count is a part of. */
  readonly of?: (figures: Known) => number;
  readonly filter?: Filter;
  /** Whether more is better; null where it is neither. */
  readonly more: boolean | null;
}

const DEFINITIONS: readonly Definition[] = [
  {
    title: 'Hits@1',
    group: 'all',
    text: 'Share of all questions whose first answer is a gold answer.',
    read: ({ all }) => all?.hits_at_1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Macro-F1',
    group: 'all',
    text: 'F1 of each question’s answers, the harmonic mean of precision and recall, averaged over all questions.',
    read: ({ all }) => all?.macro_f1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Hit',
    group: 'all',
    text: 'Share of all questions with at least one gold answer among the answers.',
    read: ({ all }) => all?.hit,
    kind: 'share',
    more: true,
  },
  {
    title: 'Exact match of answers',
    group: 'all',
    text: 'Share of all questions with exactly the gold answers.',
    read: ({ all }) => all?.exact_match,
    kind: 'share',
    more: true,
  },
  {
    title: 'Exact match of logical forms',
    group: 'all',
    text: 'Share of all questions whose predicted query graph and answer node equal the gold ones. GrailQA’s script ignores the answer node.',
    read: ({ all }) => all?.exact_match_of_logical_forms,
    kind: 'share',
    more: true,
  },
  {
    title: 'Precision',
    group: 'all',
    text: 'Share of a question’s answers that are gold answers, averaged over all questions; 1 if there are no answers.',
    read: ({ all }) => all?.precision,
    kind: 'share',
    more: true,
  },
  {
    title: 'Recall',
    group: 'all',
    text: 'Share of a question’s gold answers that were found, averaged over all questions.',
    read: ({ all }) => all?.recall,
    kind: 'share',
    more: true,
  },
  {
    title: 'Paper’s F1',
    group: 'all',
    text: 'Harmonic mean of the averaged precision and the averaged recall, as READS reports it. It is not the macro-F1.',
    read: ({ all }) => all?.paper_f1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Hits@1 in graph',
    group: 'graph',
    text: 'Hits@1 of only those questions that have a gold answer in this graph: what depends on the model.',
    read: ({ in_graph }) => in_graph?.hits_at_1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Macro-F1 in graph',
    group: 'graph',
    text: 'Macro-F1 of only those questions that have a gold answer in this graph.',
    read: ({ in_graph }) => in_graph?.macro_f1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Hits@1 in reach',
    group: 'reachable',
    text: 'Hits@1 of only those questions whose gold answers the right decisions lead to in this graph.',
    read: ({ reachable }) => reachable?.hits_at_1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Macro-F1 in reach',
    group: 'reachable',
    text: 'Macro-F1 of only those questions whose gold answers the right decisions lead to in this graph.',
    read: ({ reachable }) => reachable?.macro_f1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Perfect Hits@1',
    group: 'reachable',
    text: 'Hits@1 if every decision were right. Namesakes keep it below 100 %.',
    read: ({ reachable }) => reachable?.perfect_hits_at_1,
    kind: 'share',
    more: null,
  },
  {
    title: 'Perfect F1',
    group: 'reachable',
    text: 'Macro-F1 if every decision were right. Missing facts keep it below 100 %.',
    read: ({ reachable }) => reachable?.perfect_f1,
    kind: 'share',
    more: null,
  },
  {
    title: 'Share of perfect F1',
    group: 'reachable',
    text: 'The macro-F1 in reach, divided by the macro-F1 of a perfect model.',
    read: ({ reachable }) => reachable?.of_perfect,
    kind: 'share',
    more: true,
  },
  {
    title: 'Graph gap',
    group: 'apart',
    text: 'Questions whose gold answers are all missing in this graph. They are counted separately and have no error class.',
    read: ({ graph_gap }) => graph_gap.questions,
    of: ({ questions }) => questions,
    filter: { graph_gap: true, answerable: true },
    kind: 'count',
    more: null,
  },
  {
    title: 'Graph hits',
    group: 'graph',
    text: 'Share of the questions in the graph for which the search found a gold answer, even if the final answer differs.',
    read: ({ search }) => search.graph_hits,
    kind: 'share',
    more: true,
  },
  {
    title: 'Relation recall',
    group: 'graph',
    text: 'Share of the gold structure’s relations that the search followed, averaged over questions with a gold structure.',
    read: ({ search }) => search.relation_recall,
    kind: 'share',
    more: true,
  },
  {
    title: 'Edit distance',
    group: 'graph',
    text: 'Fewest insertions, deletions and renamings that turn the found structure into the gold one, on average.',
    read: ({ search }) => search.edit_distance,
    kind: 'number',
    more: false,
  },
  {
    title: 'Right topics',
    group: 'all',
    text: 'Share of the questions with the right topic entity. Not measured if topics are given.',
    read: ({ linking }) => linking,
    kind: 'share',
    more: true,
  },
  {
    title: 'Not answered',
    group: 'apart',
    text: 'Share of the questions with a gold answer that got no answer, for any reason.',
    read: ({ answerable }) => answerable?.turned_away,
    filter: { verdict: 'unanswered', answerable: true },
    kind: 'share',
    more: false,
  },
  {
    title: 'Failed',
    group: 'apart',
    text: 'Questions on which the engine failed. They count as wrong.',
    read: ({ failed }) => failed,
    of: ({ questions }) => questions,
    filter: { verdict: 'failed' },
    kind: 'count',
    more: false,
  },
  {
    title: 'Without an answer',
    group: 'apart',
    text: 'Of the questions without a gold answer, the number that got no answer.',
    read: ({ unanswerable }) => (unanswerable.questions > 0 ? unanswerable.recognised : null),
    of: ({ unanswerable }) => unanswerable.questions,
    filter: { answerable: false },
    kind: 'count',
    more: true,
  },
  {
    title: 'Model’s own answers',
    group: 'apart',
    text: 'Questions that a model answered itself, without facts of the graph.',
    read: ({ from_the_model }) => from_the_model?.questions,
    of: ({ questions }) => questions,
    filter: { verdict: 'from_the_model' },
    kind: 'count',
    more: null,
  },
  {
    title: 'Model’s own, Hits@1',
    group: 'apart',
    text: 'Share of those whose first answer is right.',
    read: ({ from_the_model }) => from_the_model?.hits_at_1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Hits@1 without them',
    group: 'apart',
    text: 'Hits@1 over all questions, where the model’s own answers count as no answer.',
    read: ({ without_the_model }) => without_the_model?.hits_at_1,
    kind: 'share',
    more: true,
  },
  {
    title: 'F1 without them',
    group: 'apart',
    text: 'Macro-F1 over all questions, where the model’s own answers count as no answer.',
    read: ({ without_the_model }) => without_the_model?.macro_f1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Model calls',
    group: 'cost',
    text: 'Average number of model calls per question.',
    read: ({ cost }) => cost.calls,
    kind: 'number',
    more: null,
  },
  {
    title: 'Tokens in',
    group: 'cost',
    text: 'Average number of tokens that the model reads per question.',
    read: ({ cost }) => cost.tokens_in,
    kind: 'number',
    more: false,
  },
  {
    title: 'Tokens out',
    group: 'cost',
    text: 'Average number of tokens that the model writes per question. A model that only scores options writes none.',
    read: ({ cost }) => cost.tokens_out,
    kind: 'number',
    more: false,
  },
  {
    title: 'Seconds',
    group: 'cost',
    text: 'Average time from question to answer, without the comparison with gold answers.',
    read: ({ seconds }) => seconds?.mean,
    kind: 'seconds',
    more: false,
  },
  {
    title: '95th percentile',
    group: 'cost',
    text: '95 % of the questions took no longer than this.',
    read: ({ seconds }) => seconds?.p95,
    kind: 'seconds',
    more: false,
  },
];

function words(value: number | null | undefined, kind: Definition['kind']): string {
  if (value === null || value === undefined) return '–';
  switch (kind) {
    case 'share':
      return percent(value);
    case 'seconds':
      return secondsWords(value);
    case 'count':
      return number(value);
    case 'number':
      return decimal(value, value < 100 ? 2 : 0);
  }
}

function groupTitle(group: Group, { questions, in_graph, reachable }: Known): string {
  switch (group) {
    case 'all':
      return questions === 1 ? 'The one question' : `All ${number(questions)} questions`;
    case 'graph':
      return `The ${plural(in_graph?.questions ?? 0, 'question')} with an answer in this graph`;
    case 'reachable':
      return `The ${plural(reachable?.questions ?? 0, 'question')} whose answers are within reach`;
    case 'apart':
      return 'Counted separately';
    case 'cost':
      return 'Cost per question';
  }
}

/** The figures that are known, by the questions that they speak of. */
export function figureGroups(figures: Figures): readonly FigureGroup[] {
  if (!figures) return [];
  const groups: readonly Group[] = ['all', 'graph', 'reachable', 'apart', 'cost'];
  return groups
    .map((group) => ({
      title: groupTitle(group, figures),
      figures: DEFINITIONS.filter((each) => each.group === group).flatMap(({ title, text, read, kind, of, filter }) => {
        const found = read(figures);
        if (found === null || found === undefined) return [];
        const value = words(found, kind) + (of ? ` of ${number(of(figures))}` : '');
        return [{ title, text, value, ...(filter && found > 0 ? { filter } : {}) }];
      }),
    }))
    .filter((group) => group.figures.length > 0);
}

/** Mean cost per question, stage by stage; empty if no outcome has it. */
export function stageRows(figures: Figures): readonly StageCost[] {
  const { stages } = figures?.cost ?? {};
  if (!figures || !stages) return [];
  const { cost, seconds } = figures;
  return [
    ...STAGES.map(({ name, label }) => ({
      stage: label,
      calls: stages[name].calls,
      tokensIn: stages[name].tokens_in,
      tokensOut: stages[name].tokens_out,
      seconds: seconds?.stages[name] ?? null,
    })),
    {
      stage: 'All',
      calls: cost.calls,
      tokensIn: cost.tokens_in,
      tokensOut: cost.tokens_out,
      seconds: seconds?.mean ?? null,
    },
  ];
}

function differenceWords(difference: number, kind: Definition['kind']): string {
  if (kind === 'share') return points(difference);
  if (difference === 0) return '±0';
  const size = Math.abs(difference);
  const text = kind === 'seconds' ? `${fixed(size, 3)} s` : decimal(size, 2);
  return `${difference > 0 ? '+' : '−'}${text}`;
}

/** The figures of two evaluations, one row each, and how the second differs. */
export function comparedFigures(first: Figures, second: Figures): readonly ComparedFigure[] {
  return compared(DEFINITIONS, first, second);
}

/** The figures of one evaluation by two sets of labels. What its questions cost is no matter of labels. */
export function correctedFigures(first: Figures, second: Figures): readonly ComparedFigure[] {
  return compared(
    DEFINITIONS.filter(({ group }) => group !== 'cost'),
    first,
    second,
  );
}

function compared(definitions: readonly Definition[], first: Figures, second: Figures): readonly ComparedFigure[] {
  if (!first || !second) return [];
  return definitions.flatMap(({ title, text, read, kind, more }) => {
    const [one, two] = [read(first), read(second)];
    if ((one === null || one === undefined) && (two === null || two === undefined)) return [];
    const difference = typeof one === 'number' && typeof two === 'number' ? two - one : null;
    const formatted = difference === null ? '–' : differenceWords(difference, kind);
    const nothing = difference === null || difference === 0 || more === null || formatted.startsWith('±');
    return [
      {
        title,
        text,
        first: words(one, kind),
        second: words(two, kind),
        difference: formatted,
        better: nothing ? null : difference > 0 === more,
      },
    ];
  });
}
