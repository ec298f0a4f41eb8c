/** The words for labels, their decisions and progress. */
import type { FiguresOut, MeasuredOut, OwnState, ProjectOut, RoundOut, WayOut } from '../api/labelling/annotation';
import type { GraphUpdateWorkOut } from '../api/labelling/graphUpdates';
import type { Stage } from '../api/stages';
import type { ConstraintRecord } from '../api/types';
import { targetKind } from '../core/events/changes';
import type { Condition, Decided, Draft, Kind, LabelledFact, Names } from '../core/labels/labelling';
import type { RunState } from '../core/events/run';
import { nameShown, shown } from '../core/words/shown';
import { fixed, agoWords, number, plural } from '../core/words/format';
import { conditionWords, termWords } from '../core/words/words';

/** What a label can say, the usual one first. */
export const KINDS: readonly { readonly kind: Kind; readonly name: string; readonly says: string }[] = [
  { kind: 'derivation', name: 'A derivation', says: 'Decisions that lead from the topic to the answers.' },
  { kind: 'facts', name: 'A set of facts', says: 'Facts that together contain the answers.' },
  { kind: 'answers', name: 'Answers alone', says: 'The answers, without a derivation.' },
  { kind: 'unanswerable', name: 'Cannot be answered here', says: 'The graph lacks facts that the question needs.' },
  { kind: 'ambiguous', name: 'Ambiguous', says: 'The question has several readings, each with its own decisions.' },
  { kind: 'reword', name: 'To be reworded', says: 'The question needs a better wording.' },
  { kind: 'benchmark', name: 'The benchmark is wrong', says: 'The gold answers are not right.' },
];

/** The state of an annotator's work on a task. */
export const OWN_STATES: Readonly<Record<OwnState, string>> = {
  open: 'begun',
  sent_back: 'sent back to me',
  lapsed: 'started, and open to others again',
  skipped: 'skipped',
  submitted: 'handed in',
};

/** What each open decision asks of a person. */
export const ASKS: Readonly<Record<Stage, string>> = {
  link: 'What is the question about?',
  search: 'Which relation comes next?',
  prune: 'Which condition must hold?',
  infer: 'Which part of the plan holds the answer?',
};

/** What nothing more of a stage is called. */
export const NOTHING_MORE: Readonly<Record<Stage, string>> = {
  link: 'No topic',
  search: 'Stop searching',
  prune: 'No more conditions',
  infer: 'No part of it',
};

/** A relation whose name is unknown: the last part of its id. */
export function relationName(names: Names, id: string): string {
  const known = names.relations.get(id);
  return known ? nameShown(known.label) : shown(id.replace(/^.*\./, '').replaceAll('_', ' '));
}

/** A term by its id. */
export function termName(names: Names, id: string): string {
  const known = names.terms.get(id);
  return known ? termWords(known) : shown(id.replace(/^"(.*)"(?:\^\^\S+|@\S+)?$/s, '$1'));
}

/** A condition as the words of a run say it. */
export function conditionName(state: RunState, names: Names, condition: Condition): string {
  const { position, operator } = condition;
  const target = condition.target ?? null;
  const known = target === null ? null : names.terms.get(target);
  const kind = targetKind(state.nodes[position]?.out.kind ?? 'entity');
  const record: ConstraintRecord = {
    position,
    operator,
    target: target === null ? null : (known ?? { id: target, label: termName(names, target), kind }),
  };
  return conditionWords(state, record);
}

/** A fact in a line. */
export function factWords(names: Names, { subject, relation, object }: LabelledFact): string {
  return `${termName(names, subject)} ─ ${relationName(names, relation)} → ${termName(names, object)}`;
}

/** What taking out a decision is called, for those who listen. */
export function removalWords({ kind }: Decided): string {
  switch (kind) {
    case 'topic':
      return 'Remove the topic and everything after it';
    case 'step':
      return 'Remove this fact and everything after it';
    case 'steps-ended':
      return 'Continue searching';
    case 'condition':
      return 'Remove this condition';
    case 'conditions-ended':
      return 'Add another condition';
    case 'answer':
      return 'Choose another answer node';
    case 'counted':
      return 'Do not count the answers';
  }
}

/** How what a way gives fits what was marked: "2 of 3 marked, and 4 others". */
export function fitWords({ answers_total, missed }: WayOut, marked: number): string {
  const right = marked - missed;
  const others = answers_total - right;
  return `${number(right)} of ${number(marked)} marked, ${others === 0 ? 'nothing else' : `and ${plural(others, 'other')}`}`;
}

/** "12 of 200 done, 2 open, 1 skipped". */
export function progressWords({ done, open, sent_back: back, skipped }: FiguresOut, wanted: number | null): string {
  return [
    `${number(done)}${wanted === null ? '' : ` of ${number(wanted)}`} done`,
    ...(open > 0 ? [`${number(open)} open`] : []),
    ...(back > 0 ? [`${number(back)} of them sent back`] : []),
    ...(skipped > 0 ? [`${number(skipped)} skipped`] : []),
  ].join(', ');
}

/** Seconds of work: "40 s", "12 min", "3.5 h". */
export function timeWords(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${fixed(seconds / 3600, 1)} h`;
}

/** How long ago something was kept, to the second at first: one waits for it. */
export function savedWords(then: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - then.getTime()) / 1000));
  if (seconds < 2) return 'saved just now';
  return seconds < 60 ? `saved ${seconds} s ago` : `saved ${Math.floor(seconds / 60)} min ago`;
}

/** What a label of this draft still lacks for its kind, as far as that is seen without the graph; "" where nothing. */
export function lackWords(draft: Draft): string {
  switch (draft.kind) {
    case 'facts':
      if (draft.facts.length === 0) return 'Choose at least one fact.';
      return draft.marked.length === 0 ? 'Mark at least one answer.' : '';
    case 'answers':
      return draft.marked.length === 0 ? 'Mark at least one answer.' : '';
    case 'unanswerable':
      return draft.missing === null ? 'Describe what is missing.' : '';
    case 'ambiguous':
      return draft.readings.length < 2 ? `Add ${plural(2 - draft.readings.length, 'more reading')}.` : '';
    case 'reword':
      return draft.rewording.trim() === '' ? 'Write a better question.' : '';
    case 'benchmark':
      return draft.benchmark === null ? 'Choose what is wrong.' : '';
    case 'derivation':
      return draft.topic === null || draft.steps.length === 0 || draft.answer === null
        ? 'Some decisions are open.'
        : '';
  }
}

/** What a member of a project can be. */
export const ROLES = [
  { value: 'annotator', name: 'Annotator', says: 'labels' },
  { value: 'reviewer', name: 'Reviewer', says: 'sees all labels' },
  { value: 'manager', name: 'Manager', says: 'changes the project and its members' },
] as const;

/** How many of an annotator's answers are right, where the right ones are known: "17 of 20 right, 0.88 (0.74 to 0.97)". */
export function measuredWords({ done, right, mean, low, high }: MeasuredOut): string {
  return `${number(right)} of ${number(done)} right, ${fixed(mean, 2)} (${fixed(low, 2)} to ${fixed(high, 2)})`;
}

/** An annotator's progress in a qualification round, in one line: "passed: 5 of 5 right", "2 of 5 answered". */
export function standingWords({ standing, round, done, size, measured }: RoundOut): string {
  const right = measured ? `: ${number(measured.right)} of ${number(measured.done)} right` : '';
  const tried = round > 1 ? `, try ${number(round)}` : '';
  switch (standing) {
    case 'open':
      return `${number(done)} of ${number(size)} answered${tried}`;
    case 'passed':
      return `passed${tried}${right}`;
    case 'failed':
      return `not passed${tried}${right}`;
    case 'let_in':
      return `admitted${right}`;
  }
}

/** What a project asks beside labels, for those who see it; "" where nothing. */
export function qualityWords({
  qualification,
  known_percent: known,
}: Pick<ProjectOut, 'qualification' | 'known_percent'>): string {
  return [
    qualification
      ? `Before the first task, each annotator labels ${plural(qualification.questions, 'question')} with known answers. ${qualification.percent ?? 0} % must be right.`
      : '',
    known ? `${known} % of the tasks have known answers, to measure labels. Annotators do not see which.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** What came of taking a project to another version of its graph: "Updated to version 1a2b of the graph 3 min ago: …". */
export function updatedWords(work: GraphUpdateWorkOut, now: Date): string {
  const when = work.finished_at === null ? '' : ` ${agoWords(new Date(work.finished_at), now)}`;
  const checked = work.holding + work.lapsed;
  const one = work.lapsed === 1;
  const again = `${one ? 'is' : 'are'} no longer valid and must be adjudicated again`;
  const held =
    checked === 0
      ? 'no label was accepted yet'
      : checked === 1
        ? `the accepted label ${one ? again : 'is still valid'}`
        : work.lapsed === 0
          ? `all ${number(checked)} accepted labels are still valid`
          : `${number(work.lapsed)} of ${number(checked)} accepted labels ${again}`;
  return `Updated to version ${work.to_version.slice(0, 8)} of the graph${when}: ${held}.`;
}

/** In which order tasks are handed out. */
export const ORDER_WORDS = {
  given: 'in dataset order',
  random: 'in random order',
  chosen: 'in the chosen order',
  asked: 'most frequently asked first',
  doubt: 'lowest confidence first',
} as const;
