/** Why a cause is proposed, in words: what was chosen at the first wrong decision, and how the model took what was wanted. */
import type { ProposedOut, WantedOut } from '../../api/review/review';
import type { OptionRecord, TermRecord } from '../../api/types';
import type { RunState } from '../../core/events/run';
import { nameShown, shown } from '../../core/words/shown';
import { certaintyWords, number } from '../../core/words/format';
import { conditionSigns, optionWords, termWords } from '../../core/words/words';
import { CAUSES } from './verdicts';

/** Maximum of missing names in a line. */
const FEW = 4;

/** What is shown of a proposal. */
export interface Evidence {
  /** What was chosen, or what it comes to where no decision went wrong; empty where nothing is proposed. */
  readonly was: string;
  /** What would have been right; empty where that is not known, or was no choice. */
  readonly wanted: string;
}

/** The evidence of a proposal; `before` is what was known at the decision, null where no run shows it. */
export function evidenceOf(proposed: ProposedOut, before: RunState | null): Evidence {
  const { stage, number: at, chosen, cause } = proposed;
  if (stage === null || at === null) {
    const text = proposed.missing ? missingWords(proposed.missing) : '';
    return { was: text || (CAUSES.find((each) => each.cause === cause)?.text ?? ''), wanted: '' };
  }
  const what = chosen === null ? '' : ` ${choiceWords(chosen, stage, before)}${certainty(chosen)}`;
  return {
    was:
      what === ''
        ? `${whereWords(stage, at)} the model chose another option`
        : `${whereWords(stage, at)} the model chose${what}`,
    wanted: proposed.wanted[0] ? wantedWords(proposed.wanted[0], proposed, before) : '',
  };
}

/** A wanted option and how the model took it: "Y, 3rd of 14 (11 %)"; or that it was not to be chosen. */
export function wantedWords(wanted: WantedOut, { stage, options }: ProposedOut, before: RunState | null): string {
  const { option, rank } = wanted;
  const name = option === null ? nameShown(wanted.words) : choiceWords(option, stage ?? 'search', before);
  if (option === null) {
    return `“${name}”, not among the listed options${options === null ? '' : ` of ${number(options)}`}`;
  }
  if (rank === null) return `${name}, which was not read`;
  return `${name}, ${ordinal(rank)} of ${number(options ?? rank)}${certainty(option)}`;
}

/** What the graph lacks: "The graph lacks KITT; nothing there follows “cast”; it does not lead to William Daniels". */
export function missingWords({ entities, relation, answers }: NonNullable<ProposedOut['missing']>): string {
  const parts = [
    entities.length > 0 ? `The graph lacks ${namesOf(entities)}` : '',
    relation === null ? '' : `“${nameShown(relation.label)}” leads nowhere`,
    answers.length > 0 ? `the gold derivation does not lead to ${namesOf(answers)}` : '',
  ];
  const [first = '', ...rest] = parts.filter(Boolean);
  return first && `${[`${first[0]?.toUpperCase() ?? ''}${first.slice(1)}`, ...rest].join('; ')}.`;
}

/** "1st", "2nd", "3rd", "11th", "22nd". */
export function ordinal(value: number): string {
  const teen = value % 100 >= 11 && value % 100 <= 13;
  return `${number(value)}${(teen ? undefined : ['th', 'st', 'nd', 'rd'][value % 10]) ?? 'th'}`;
}

function whereWords(stage: NonNullable<ProposedOut['stage']>, at: number): string {
  switch (stage) {
    case 'link':
      return 'As the topic entity';
    case 'search':
      return `At search step ${number(at + 1)}`;
    case 'prune':
      return `At condition ${number(at + 1)}`;
    case 'infer':
      return 'As the answer node';
  }
}

function choiceWords(option: OptionRecord, stage: string, before: RunState | null): string {
  if (option.kind === 'none') return stage === 'prune' ? 'no further condition' : 'to stop';
  if (option.kind === 'step')
    return `“${nameShown(option.relation.label)}”${option.relation.reverse ? ' backwards' : ''}`;
  if (before !== null) return `“${optionWords(before, option)}”`;
  switch (option.kind) {
    case 'topic':
      return `“${termWords(option.term)}”`;
    case 'constraint':
      return `“${conditionSigns(option.constraint)}”`;
    case 'answer':
      return `place ${number(option.position)}`;
  }
}

function certainty({ probability }: OptionRecord): string {
  return probability === null ? '' : ` (${certaintyWords(probability)})`;
}

function namesOf(terms: readonly TermRecord[]): string {
  const names = terms.slice(0, FEW).map((term) => termWords(term) || shown(term.id));
  return `${names.join(', ')}${terms.length > FEW ? ` and ${number(terms.length - FEW)} more` : ''}`;
}
