/** An evaluation's figures as people read them, each with a line that explains it. */
import { STAGES } from '../api/stages';
import type { EvaluationDetailOut } from '../api/types';
import type { StageCost } from '../core/figures/cost';
import type { Entry } from '../core/words/glossary';
import { number, percent, plural, secondsWords } from '../core/words/words';
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
    text: 'Share of all questions that have a gold answer among those told.',
    read: ({ all }) => all?.hit,
    kind: 'share',
    more: true,
  },
  {
    title: 'Exact match of answers',
    group: 'all',
    text: 'Share of all questions whose answers are the gold answers, no more and no fewer.',
    read: ({ all }) => all?.exact_match,
    kind: 'share',
    more: true,
  },
  {
    title: 'Exact match of logical forms',
    group: 'all',
    text: 'Share of all questions whose predicted query graph is the gold one and asks for the same node of it. GrailQA’s script ignores which node is asked for.',
    read: ({ all }) => all?.exact_match_of_logical_forms,
    kind: 'share',
    more: true,
  },
  {
    title: 'Precision',
    group: 'all',
    text: 'Share of a question’s answers that are gold answers, averaged over all questions; 1 where nothing is told.',
    read: ({ all }) => all?.precision,
    kind: 'share',
    more: true,
  },
  {
    title: 'Recall',
    group: 'all',
    text: 'Share of a question’s gold answers that are told, averaged over all questions.',
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
    text: 'Hits@1 of the questions alone that have a gold answer in this graph: what the scorer can be blamed for.',
    read: ({ in_graph }) => in_graph?.hits_at_1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Macro-F1 in graph',
    group: 'graph',
    text: 'Macro-F1 of the questions alone that have a gold answer in this graph.',
    read: ({ in_graph }) => in_graph?.macro_f1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Hits@1 in reach',
    group: 'reachable',
    text: 'Hits@1 of the questions alone whose gold answers the right decisions lead to in this graph.',
    read: ({ reachable }) => reachable?.hits_at_1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Macro-F1 in reach',
    group: 'reachable',
    text: 'Macro-F1 of the questions alone whose gold answers the right decisions lead to in this graph.',
    read: ({ reachable }) => reachable?.macro_f1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Perfect Hits@1',
    group: 'reachable',
    text: 'Hits@1 that nothing but right decisions would get: things that share a name keep it below 100 %.',
    read: ({ reachable }) => reachable?.perfect_hits_at_1,
    kind: 'share',
    more: null,
  },
  {
    title: 'Perfect F1',
    group: 'reachable',
    text: 'Macro-F1 that nothing but right decisions would get: a graph that lacks facts keeps it below 100 %.',
    read: ({ reachable }) => reachable?.perfect_f1,
    kind: 'share',
    more: null,
  },
  {
    title: 'Of perfect',
    group: 'reachable',
    text: 'The macro-F1 in reach, divided by that of a perfect chooser.',
    read: ({ reachable }) => reachable?.of_perfect,
    kind: 'share',
    more: true,
  },
  {
    title: 'Graph gap',
    group: 'apart',
    text: 'Questions with gold answers none of which is in this graph. They are counted apart and have no error class.',
    read: ({ graph_gap }) => graph_gap.questions,
    of: ({ questions }) => questions,
    filter: { graph_gap: true, answerable: true },
    kind: 'count',
    more: null,
  },
  {
    title: 'Graph hits',
    group: 'graph',
    text: 'Share of the questions in the graph where the search brought in a gold answer, whatever was told in the end.',
    read: ({ search }) => search.graph_hits,
    kind: 'share',
    more: true,
  },
  {
    title: 'Relation recall',
    group: 'graph',
    text: 'Share of the gold structure’s relations that the search took, averaged over questions with a gold structure.',
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
    title: 'Topics right',
    group: 'all',
    text: 'Share of the questions in which the topic entity was found rightly. There is none where topics are given.',
    read: ({ linking }) => linking,
    kind: 'share',
    more: true,
  },
  {
    title: 'Not answered',
    group: 'apart',
    text: 'Share of the questions with an answer that were given none, whatever the reason.',
    read: ({ answerable }) => answerable?.turned_away,
    filter: { verdict: 'unanswered', answerable: true },
    kind: 'share',
    more: false,
  },
  {
    title: 'Failed',
    group: 'apart',
    text: 'Questions over which the engine failed; they count as wrong.',
    read: ({ failed }) => failed,
    of: ({ questions }) => questions,
    filter: { verdict: 'failed' },
    kind: 'count',
    more: false,
  },
  {
    title: 'Without an answer',
    group: 'apart',
    text: 'Questions that the benchmark has no answer to: how many of them were given none.',
    read: ({ unanswerable }) => (unanswerable.questions > 0 ? unanswerable.recognised : null),
    of: ({ unanswerable }) => unanswerable.questions,
    filter: { answerable: false },
    kind: 'count',
    more: true,
  },
  {
    title: 'The model’s own',
    group: 'apart',
    text: 'Questions that a model answered by itself, with no fact of the graph behind it.',
    read: ({ from_the_model }) => from_the_model?.questions,
    of: ({ questions }) => questions,
    filter: { verdict: 'from_the_model' },
    kind: 'count',
    more: null,
  },
  {
    title: 'Its own, Hits@1',
    group: 'apart',
    text: 'Share of those in which the first answer is right.',
    read: ({ from_the_model }) => from_the_model?.hits_at_1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Hits@1 without its own',
    group: 'apart',
    text: 'Hits@1 over all questions, where what a model answered by itself counts as no answer.',
    read: ({ without_the_model }) => without_the_model?.hits_at_1,
    kind: 'share',
    more: true,
  },
  {
    title: 'F1 without its own',
    group: 'apart',
    text: 'Macro-F1 over all questions, where what a model answered by itself counts as no answer.',
    read: ({ without_the_model }) => without_the_model?.macro_f1,
    kind: 'share',
    more: true,
  },
  {
    title: 'Model calls',
    group: 'cost',
    text: 'How often the scorer is asked for a question, on average.',
    read: ({ cost }) => cost.calls,
    kind: 'number',
    more: null,
  },
  {
    title: 'Tokens in',
    group: 'cost',
    text: 'How many tokens the scorer reads for a question, on average.',
    read: ({ cost }) => cost.tokens_in,
    kind: 'number',
    more: false,
  },
  {
    title: 'Tokens out',
    group: 'cost',
    text: 'How many tokens the scorer writes for a question, on average. One that only weighs options writes none.',
    read: ({ cost }) => cost.tokens_out,
    kind: 'number',
    more: false,
  },
  {
    title: 'Seconds',
    group: 'cost',
    text: 'From question to answer, on average; comparing with the gold answers is not counted.',
    read: ({ seconds }) => seconds?.mean,
    kind: 'seconds',
    more: false,
  },
  {
    title: 'Slowest twentieth',
    group: 'cost',
    text: 'Nineteen of twenty questions took no longer (95th percentile).',
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
      return value.toLocaleString('en-GB', { maximumFractionDigits: value < 100 ? 2 : 0 });
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
      return 'Counted apart';
    case 'cost':
      return 'What a question costs';
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

/** What a question costs on average, stage by stage; nothing where no outcome tells it. */
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
  const text = kind === 'seconds' ? `${size.toFixed(3)} s` : size.toLocaleString('en-GB', { maximumFractionDigits: 2 });
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
    const told = difference === null ? '–' : differenceWords(difference, kind);
    const nothing = difference === null || difference === 0 || more === null || told.startsWith('±');
    return [
      {
        title,
        text,
        first: words(one, kind),
        second: words(two, kind),
        difference: told,
        better: nothing ? null : difference > 0 === more,
      },
    ];
  });
}
