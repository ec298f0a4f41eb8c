/** The decisions of a run as sentences. */
import { STAGES, STAGE_OF_EVENT, type Stage } from '../../api/stages';
import type { DecisionRecord, OptionRecord, RelationRecord, RunEventOut } from '../../api/types';
import { CLOSE, DEBATE, DECISIONS, LOW, NOTES, WEAKEST } from '../../api/wording';
import { filled, pieces } from '../words/filled';
import { shareWords } from '../figures/shares';
import {
  beginsWords,
  candidatesWords,
  coveredWords,
  frontierWords,
  judgedWords,
  layerWords,
  pathsWords,
  plansWords,
  reachWords,
  selectionWords,
  simplifiedWords,
  triedShareWords,
  triedWords,
  writtenWords,
} from './eventSentences';
import { EMPTY, beginsStep, decisionOf, fold, isAside, stepEnds, type Aside, type RunState } from './run';
import { certaintyWords, number, plural, probabilityWords } from '../words/format';
import { conditionWords, nodeLabel, optionWords, termWords } from '../words/words';
import { nameShown, shown } from '../words/shown';

/** A piece of a sentence. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'strong'; readonly text: string }
  | { readonly kind: 'relation'; readonly relation: RelationRecord }
  | {
      readonly kind: 'node';
      readonly position: number;
      readonly label: string;
      /** The names of the answers, if it is the answer node and they are known. The terminal does not print them here. */
      readonly answers?: string;
    };

/** Why a decision is worth a second look. */
export interface Doubt {
  readonly text: string;
}

/** One step of the timeline. */
export interface Moment {
  /** Counts from 0; people read it from 1. */
  readonly step: number;
  readonly stage: Stage;
  readonly sentence: readonly Part[];
  readonly decision: DecisionRecord | null;
  /** Null at a step that decides, or says what the question is about. */
  readonly aside: Aside | null;
  /** Beneath the sentence, line by line: where from, and what followed. */
  readonly notes: readonly (readonly Part[])[];
  readonly doubt: Doubt | null;
  /** What was known when the decision was made: S_(k-1). */
  readonly before: RunState;
  /** What was known after it: S_k. */
  readonly after: RunState;
}

/** The whole timeline. */
export function momentsOf(events: readonly RunEventOut[]): readonly Moment[] {
  const moments: Moment[] = [];
  let start = 0;
  let before = EMPTY;
  const whole = fold(events);
  for (const [step, end] of stepEnds(events).entries()) {
    const after = fold(events.slice(0, end));
    const own = events.slice(start, end).map(({ event }) => event);
    const about = own.find(beginsStep);
    const decision = about ? decisionOf(about) : null;
    moments.push({
      step,
      stage: stageOf(about),
      sentence: about ? sentenceOf(before, after, whole, about) : [],
      decision,
      aside: about && isAside(about) ? about : null,
      notes: notesOf(before, own, after),
      doubt: decision ? doubtOf(before, decision) : null,
      before,
      after,
    });
    before = after;
    start = end;
  }
  return moments;
}

/** Steps one after another that belong to the same stage. */
export interface Stretch {
  readonly stage: Stage;
  readonly moments: readonly Moment[];
}

/** The timeline by stages, in the order of its steps: a strategy may come back to a stage. */
export function stretchesOf(moments: readonly Moment[]): readonly Stretch[] {
  const stretches: { stage: Stage; moments: Moment[] }[] = [];
  for (const moment of moments) {
    const last = stretches.at(-1);
    if (last?.stage === moment.stage) last.moments.push(moment);
    else stretches.push({ stage: moment.stage, moments: [moment] });
  }
  return stretches;
}

type Event = RunEventOut['event'];

function stageOf(event: Event | undefined): Stage {
  if (event?.kind === 'candidates_ranked' || event?.kind === 'paths_weighed') return 'infer';
  if (event?.kind === 'selection' || event?.kind === 'model_wrote') {
    return STAGES.find(({ name }) => name === event.stage)?.name ?? 'search';
  }
  return event && event.kind in STAGE_OF_EVENT ? STAGE_OF_EVENT[event.kind as keyof typeof STAGE_OF_EVENT] : 'search';
}

function sentenceOf(before: RunState, after: RunState, whole: RunState, event: Event): readonly Part[] {
  switch (event.kind) {
    case 'entity_linked':
      return event.topic ? pieces(DECISIONS.topic, { node: node(after, 0) }, text) : [text(DECISIONS.no_topic)];
    case 'search_step': {
      const { relation } = event.node;
      if (!relation) return [];
      const words = relation.reverse ? DECISIONS.step_backwards : DECISIONS.step;
      return pieces(words, { relation: { kind: 'relation', relation } }, text);
    }
    case 'search_ended':
      return [text(DECISIONS.search_ended)];
    case 'constraint_chosen': {
      const condition = { kind: 'strong', text: conditionWords(after, event.constraint) } as const;
      return pieces(DECISIONS.condition, { condition }, text);
    }
    case 'pruning_ended':
      return [text(after.constraints.length > 0 ? DECISIONS.no_more_conditions : DECISIONS.no_conditions)];
    case 'selection':
      return [text(selectionWords(event))];
    case 'layer_explored':
      return [text(layerWords(event))];
    case 'candidates_ranked':
      return [text(candidatesWords(event))];
    case 'plans_proposed':
      return [text(plansWords(event))];
    case 'frontier_kept':
      return [text(frontierWords(event))];
    case 'paths_weighed':
      return [text(pathsWords(event))];
    case 'sufficiency':
      return [text(triedWords(event))];
    case 'question_simplified':
      return [text(simplifiedWords(event))];
    case 'no_candidate':
      return [text(DECISIONS.no_candidate)];
    case 'model_wrote':
      return [text(writtenWords(event))];
    case 'answer_position':
      return pieces(DECISIONS.answer, { node: answerNode(before, event.position, whole) }, text);
    case 'answers_counted':
      return [text(event.counted ? DECISIONS.count : DECISIONS.no_count)];
    default:
      return [];
  }
}

function notesOf(before: RunState, events: readonly Event[], after: RunState): readonly (readonly Part[])[] {
  return events.map((event) => noteOf(before, event, after)).filter((note) => note.length > 0);
}

function noteOf(before: RunState, event: Event, after: RunState): readonly Part[] {
  switch (event.kind) {
    case 'search_step': {
      const from = node(before, event.node.parent ?? 0);
      if (event.facts_available <= event.facts_gained) {
        return pieces(NOTES.step, { node: from, facts: text(plural(event.facts_gained, 'fact')) }, text);
      }
      const gained = text(number(event.facts_gained));
      return pieces(NOTES.step_cut, { node: from, gained, facts: text(plural(event.facts_available, 'fact')) }, text);
    }
    case 'search_ended':
      return event.reason === 'chosen' ? [] : [text(NOTES[event.reason])];
    case 'pruned':
      return event.leaves_nothing
        ? [text(NOTES.leaves_nothing)]
        : [text(filled(NOTES.pruned, { facts: plural(event.removed_total, 'fact'), kept: number(event.kept_total) }))];
    case 'layer_explored':
      return [text(reachWords(event))];
    case 'plans_proposed': {
      const words = beginsWords(event) || coveredWords(event);
      return words ? [text(words)] : [];
    }
    case 'frontier_kept':
      return [text(judgedWords(event))];
    case 'sufficiency':
      return event.share === null ? [] : [text(triedShareWords(event))];
    case 'question_simplified':
      return [text(DEBATE[event.by])];
    case 'model_wrote':
      return [text(shown(event.purpose))];
    case 'pruning_ended':
      return !event.decision && after.constraints.length > 0 ? [text(NOTES.no_condition_possible)] : [];
    default:
      return [];
  }
}

/**
 * Why a decision deserves a second look, if it does: a low probability or a close second. Where options were left
 * unread, what is certain of the chosen one counts, and what is possible of the others.
 */
export function doubtOf(state: RunState, decision: DecisionRecord): Doubt | null {
  const chosen = chosenOf(decision);
  if (decision.given || !decision.exact || !chosen || chosen.probability === null) return null;
  const second = decision.options.reduce<OptionRecord | null>((best, option) => {
    if (option.index === decision.chosen || option.probability === null) return best;
    return best === null || option.probability > (best.probability ?? 0) ? option : best;
  }, null);
  if (second !== null && chosen.probability - (second.probability ?? 0) < CLOSE) {
    return {
      text: `A close second: ${optionWords(state, second)}, ${probabilityWords(second.probability ?? 0)}`,
    };
  }
  const unread = decision.unread?.each ?? 0;
  if (unread > 0 && chosen.probability - unread < CLOSE) {
    return { text: `An option that was not read may be a close second: at most ${probabilityWords(unread)}` };
  }
  if (chosen.probability < LOW) {
    return { text: `A low probability: ${shareWords(decision, decision.chosen)}` };
  }
  return null;
}

/** The decision that was the least probable among those that had a choice; null where none had one. */
export function weakestOf(moments: readonly Moment[]): Moment | null {
  return moments.reduce<Moment | null>((weakest, moment) => {
    const sure = sureOf(moment);
    return sure === null || (weakest && (sureOf(weakest) ?? 1) <= sure) ? weakest : moment;
  }, null);
}

/** "Weakest step: stop searching (78 %)". */
export function weakestWords(weakest: Moment): string {
  const sentence = plain(weakest.sentence);
  const decision = sentence.charAt(0).toLowerCase() + sentence.slice(1);
  return filled(WEAKEST, { decision, share: certaintyWords(sureOf(weakest) ?? 0) });
}

/** How probable the choice of a moment was; null where it had none, or no probability is known. */
export function sureOf({ decision }: Moment): number | null {
  if (!decision || decision.given || !decision.exact || decision.total <= 1) return null;
  return chosenOf(decision)?.probability ?? null;
}

/** The option that was chosen. */
export function chosenOf(decision: DecisionRecord): OptionRecord | undefined {
  return decision.options.find((option) => option.index === decision.chosen);
}

/** A moment for those who listen. */
export function spoken({ sentence, notes }: Moment): string {
  return [sentence, ...notes].map(plain).join(', ');
}

/** A sentence as plain text. */
export function plain(sentence: readonly Part[]): string {
  return sentence
    .map((part) => {
      switch (part.kind) {
        case 'relation':
          return nameShown(part.relation.label);
        case 'node':
          return part.label;
        default:
          return part.text;
      }
    })
    .join('');
}

function text(value: string): Part {
  return { kind: 'text', text: value };
}

const FEW_ANSWERS = 3;

/** The answer node with the names of the answers, once they are known. */
function answerNode(state: RunState, position: number, { end }: RunState): Part {
  const plainNode = node(state, position);
  const isNamed = end?.kind === 'finished' && end.verdict === 'answered' && typeof end.count !== 'number';
  if (!isNamed || end.answers.length === 0) return plainNode;
  const names = end.answers.slice(0, FEW_ANSWERS).map(({ term }) => termWords(term));
  const more = end.answers_total - names.length;
  const listed = `${names.join(', ')}${more > 0 ? ` and ${number(more)} more` : ''}`;
  return { ...plainNode, answers: listed };
}

function node(state: RunState, position: number): Extract<Part, { kind: 'node' }> {
  return { kind: 'node', position, label: nodeLabel(state, position) };
}
