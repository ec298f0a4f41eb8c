/** The sentences of a run besides its decisions: what it continues, readings, open decisions, confidence. */
import type {
  CandidatesRanked,
  Finished,
  FrontierKept,
  LayerExplored,
  ModelWrote,
  PathsWeighed,
  PlansProposed,
  QuestionSimplified,
  ReadingRecord,
  RelationRecord,
  SaidRecord,
  SelectionMade,
  Started,
  Sufficiency,
  Undecided,
} from '../../api/types';
import {
  CLAIM,
  COMPARED,
  CHANGES,
  CONTINUED,
  DEBATE,
  EVIDENCE,
  EXPLORED,
  LATER,
  NAMED_DECISIONS,
  NOT_UNDERSTOOD,
  PARTIAL,
  OPEN_DECISIONS,
  PLANS,
  READING,
  ROUNDS,
  SAID,
  SELECTION,
  SURE,
  UNDECIDED,
  UNUSED,
  VERDICT_WORDS,
  WRITTEN,
} from '../../api/wording';
import { filled } from '../words/filled';
import type { Entry } from '../words/glossary';
import { wayOf, type Reading } from './readings';
import { EMPTY, type KeptReading, type Round, type RunState } from './run';
import { nameShown, shown } from '../words/shown';
import { joinedConditions } from './conditions';
import { certaintyWords, decimal, number, plural } from '../words/format';
import { nodeLabel, termWords } from '../words/words';

/** What a run keeps of another one, line by line; nothing where it goes on from none. */
export function continuedLines({ continued, scorer }: Started): readonly string[] {
  if (!continued) return [];
  const { kept, change, later } = continued;
  const decisions = plural(kept, 'decision');
  const by = continued.scorer === scorer ? [] : [filled(CONTINUED.by, { scorer: shown(continued.scorer) })];
  if (!change) return [filled(CONTINUED.kept, { decisions }), ...by];
  const decision = ofStage(NAMED_DECISIONS, change.stage, change.number);
  return [
    filled(CONTINUED.changed, { decisions, change: filled(CHANGES[change.kind], { decision }) }),
    ...by,
    LATER[later],
  ];
}

/** "Weighed 9 readings, kept 3". */
export function roundWords({ considered, kept }: Round): string {
  return filled(ROUNDS.round, { readings: plural(considered, 'reading'), kept: number(kept.length) });
}

/** "Weighed 34 readings in 7 rounds". */
export function roundsWords(rounds: readonly Round[]): string {
  const considered = rounds.reduce((sum, round) => sum + round.considered, 0);
  return filled(ROUNDS.all, { readings: plural(considered, 'reading'), rounds: plural(rounds.length, 'round') });
}

/** A reading that a round kept: "Knight Rider → regular cast". */
export function keptWords({ reading, over }: KeptReading): string {
  const words = readingWords(reading);
  return over ? filled(ROUNDS.over, { reading: words }) : words;
}

/** A way to read the question: "Knight Rider → regular cast → actor, where character is KITT". */
export function readingWords(reading: Reading): string {
  if (reading.nodes.length === 0) return READING.no_topic;
  const state = stateOf(reading);
  let path = '';
  let last: number | null = null;
  for (const { position, parent, relation } of wayOf(reading)) {
    const node = nodeLabel(state, position);
    if (parent === null || relation === null) path = node;
    else {
      if (parent !== last) path = filled(READING.branch, { path, node: nodeLabel(state, parent) });
      path = filled(relation.reverse ? READING.backwards : READING.forwards, { path, node });
    }
    last = position;
  }
  const conditions = joinedConditions(state, reading.constraints).join(' and ');
  return conditions ? filled(READING.where, { path, conditions }) : path;
}

/** The answers of a reading, or why it has none. */
export function readingAnswers({ answers, answers_total: total, verdict, nodes, position }: ReadingRecord): string {
  const unit = nodes.find((node) => node.position === position)?.relation?.unit;
  const words = answers.map((term) => termWords(term, unit)).join(', ') || VERDICT_WORDS[verdict];
  if (total <= answers.length) return words;
  return filled(READING.cut, { answers: words, shown: number(answers.length), total: number(total) });
}

/** "Kept 3 of 12 options, by attention". */
export function selectionWords({ selection: { kept, total, measure } }: SelectionMade): string {
  return filled(SELECTION, { kept: number(kept.length), options: plural(total, 'option'), measure });
}

/** "Layer 2 of 3: kept 40 of 64 edges". */
export function layerWords({ layer, layers, edges_kept, edges_total }: LayerExplored): string {
  return filled(EXPLORED.layer, {
    layer: number(layer),
    layers: number(layers),
    kept: number(edges_kept),
    edges: plural(edges_total, 'edge'),
  });
}

/** "from 1 to 14 entities". */
export function reachWords({ entities_before, entities_after }: LayerExplored): string {
  return filled(EXPLORED.entities, {
    before: number(entities_before),
    after: plural(entities_after, 'entity', 'entities'),
  });
}

/** "Layers needed: 1 layer 98 %, 2 layers 2 %"; empty where the explorer always explores all of its layers. */
export function depthWords({ depths }: LayerExplored): string {
  if (!depths) return '';
  const each = depths.map((depth, index) =>
    filled(EXPLORED.depth, { layers: plural(index + 1, 'layer'), share: certaintyWords(depth) }),
  );
  return filled(EXPLORED.depths, { depths: each.join(', ') });
}

/** "Ranked 420 candidates, showing 3". */
export function candidatesWords({ candidates, total }: CandidatesRanked): string {
  return filled(EXPLORED.candidates, { candidates: plural(total, 'candidate'), shown: number(candidates.length) });
}

/** "answers have a weight of 0.2 or more". */
export function thresholdWords(threshold: number): string {
  return filled(EVIDENCE.threshold, { weight: weightWords(threshold) });
}

/** "Weighed 14 plans, proposed 3"; of a language model that read them as wholes, "Weighed 14 relation paths, …". */
export function plansWords({ by, looked, plans, total }: PlansProposed): string {
  return filled(looked ? PLANS.paths : PLANS[by], {
    plans: plural(total, 'plan'),
    paths: plural(total, 'relation path'),
    shown: number(plans.length),
    grounded: number(plans.filter(({ grounded }) => grounded).length),
  });
}

/** "extended 120 of 932 paths"; empty where all were, or no whole paths were weighed. */
export function lookedWords({ looked }: PlansProposed): string {
  if (!looked || looked.followed === looked.leading_on) return '';
  return filled(PLANS.looked, { followed: number(looked.followed), ways: plural(looked.leading_on, 'path') });
}

/** "only plans that begin with regular cast"; empty if no relation was given. */
export function beginsWords({ begins }: PlansProposed): string {
  return begins.length > 0 ? filled(PLANS.begins, { way: relationsWords(begins) }) : '';
}

/** "together 78 % of all that there may be"; that there are none; empty where it is not known. */
export function coveredWords({ covered, plans }: PlansProposed): string {
  if (plans.length === 0) return PLANS.none;
  return covered === null ? '' : filled(PLANS.covered, { share: certaintyWords(covered) });
}

/** "Hop 2 (regular cast → actor): kept 3 of 14 entities". */
export function frontierWords({ hop, way, kept, dropped }: FrontierKept): string {
  return filled(EVIDENCE.frontier, {
    hop: number(hop),
    way: relationsWords(way),
    kept: number(kept),
    entities: plural(kept + dropped, 'entity', 'entities'),
  });
}

/** "judged by sample", or that there was no judge. */
export function judgedWords({ judge }: FrontierKept): string {
  return judge ? filled(EVIDENCE.judged, { judge: shown(judge) }) : EVIDENCE.not_judged;
}

/** "Of plans 1 and 3". */
export function ofWords({ of, numbers }: FrontierKept): string {
  const names = numbers.map((each) => number(each + 1));
  const last = names[names.length - 1] ?? '';
  const listed = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${last}` : last;
  return `Of ${of}${names.length > 1 ? 's' : ''} ${listed}`;
}

/** "0.2 of all: plan 0.5, entities 0.9 × 0.8". */
export function factorsWords({ weight, plan_weight: plan, scores }: PathsWeighed['paths'][number]): string {
  const entities = scores.map(weightWords).join(' × ');
  return filled(EVIDENCE.factors, { weight: weightWords(weight), plan: weightWords(plan), scores: entities });
}

/** "Weighed 12 paths, showing 10". */
export function pathsWords({ paths, total }: PathsWeighed): string {
  return filled(EVIDENCE.paths, { paths: plural(total, 'path'), shown: number(paths.length) });
}

/** Where relations lead to: "the topic → regular cast". */
export function wayWords(relations: readonly RelationRecord[]): string {
  return relations.length > 0 ? `the topic → ${relationsWords(relations)}` : 'the topic';
}

/** Relations one after the other: "regular cast → actor". */
function relationsWords(relations: readonly RelationRecord[]): string {
  return relations
    .map(({ label, reverse }) => (reverse ? filled(PLANS.backwards, { relation: nameShown(label) }) : nameShown(label)))
    .reduce((way, relation) => (way ? filled(PLANS.step, { way, relation }) : relation), '');
}

/** "Enough to answer “who directed these 3 films”". */
export function triedWords({ enough, question }: Sufficiency): string {
  return filled(enough ? DEBATE.enough : DEBATE.more, { question: shown(question) });
}

/** "the facts are enough with a probability of 3 %"; empty where that is not known. */
export function triedShareWords({ share }: Sufficiency): string {
  return share === null ? '' : filled(DEBATE.share, { share: certaintyWords(share) });
}

/** "Question shortened to “who directed these 3 films”". */
export function simplifiedWords({ before, after }: QuestionSimplified): string {
  return filled(before === after ? DEBATE.kept : DEBATE.simplified, { before: shown(before), after: shown(after) });
}

/** A part of a text, and what marks it. */
export interface Stretch {
  readonly text: string;
  readonly mark: 'gone' | 'topic' | null;
}

/** A text cut where marks begin and end; positions count code points, while a string counts UTF-16 units. */
export function marked(
  text: string,
  gone: readonly (readonly number[])[],
  topic: readonly number[] | null,
): readonly Stretch[] {
  const within = (at: number, [from = 0, to = 0]: readonly number[]) => from <= at && at < to;
  const stretches: { text: string; mark: Stretch['mark'] }[] = [];
  Array.from(text).forEach((character, at) => {
    const mark = gone.some((span) => within(at, span)) ? 'gone' : topic && within(at, topic) ? 'topic' : null;
    const last = stretches.at(-1);
    if (last?.mark === mark) last.text += character;
    else stretches.push({ text: character, mark });
  });
  return stretches.map(({ text: part, mark }) => ({ text: shown(part), mark }));
}

/** "Written by qwen, not from the graph". */
export function writtenWords({ writer }: ModelWrote): string {
  return filled(WRITTEN.by, { writer: shown(writer) });
}

/** How a text was read, part by part; empty if it was not read. */
export function saidLines({ said, cut_short: cutShort }: ModelWrote): readonly string[] {
  const cut = cutShort ? [SAID.cut_short] : [];
  if (!said) return cut;
  return [...cut, ...(said.length > 0 ? said.map(partWords) : [SAID.silent])];
}

function partWords({ text, names, total, place }: SaidRecord): string {
  const listed = names.map(shown).join(', ');
  const isCut = names.length < total;
  const named = isCut
    ? filled(SAID.some, { names: listed, shown: number(names.length), total: number(total) })
    : listed;
  return filled(SAID[place ?? 'nothing'], { text: shown(text), names: named });
}

/** How much of a text is listed; empty where that is all of it. */
export function cutWords({ text, length }: { readonly text: string; readonly length: number }): string {
  const listed = Array.from(text).length;
  return listed < length ? filled(WRITTEN.cut, { shown: number(listed), length: number(length) }) : '';
}

/** The decision that a run stopped before: "which relation to follow from Knight Rider · 12 options". */
export function openWords(whole: RunState, { stage, number: which, options, total }: Undecided): string {
  const starts = new Set(options.flatMap((option) => (option.kind === 'step' ? [option.position] : [])));
  const [start] = starts;
  const decision =
    stage === 'search' && starts.size === 1 && start !== undefined
      ? filled(OPEN_DECISIONS.search_from, { node: nodeLabel(whole, start) })
      : ofStage(OPEN_DECISIONS, stage, which);
  return filled(UNDECIDED.open, { decision, options: plural(total, 'option') });
}

/**
 * How sure the model was of all its decisions together, as held-out questions corrected it, or else with a word that they
 * did not; empty where that is not known, or says nothing.
 */
export function confidenceWords({ confidence, calibrated, reason, partial }: Finished): string {
  const sure = calibrated ?? confidence;
  if (sure === null || sure === undefined || partial || reason === 'no_topic') return '';
  const certainty = filled(SURE.sure, { share: certaintyWords(sure) });
  return calibrated === null || calibrated === undefined ? filled(SURE.raw, { sure: certainty }) : certainty;
}

/** What the confidence is, and what it is not. */
export function confidenceEntry({ calibrated, verdict }: Finished): Entry {
  const title = 'Confidence';
  const what = 'The product of the probabilities of all decisions with more than one option';
  if (calibrated !== null && calibrated !== undefined) {
    const right = Math.min(99, Math.max(1, Math.round(100 * calibrated)));
    const share = `Of 100 unseen questions with this confidence, ${right} were answered correctly.`;
    return { title, text: `${what}, calibrated on held-out questions. ${share}` };
  }
  const open = 'This is how certain the model is of its own decisions, not how often such answers are right.';
  const reason =
    verdict === 'answered'
      ? ''
      : ' It is not calibrated for runs without an answer, because held-out questions have answers.';
  return { title, text: `${what}. ${open}${reason}` };
}

/** Parts of a question in quotation marks. */
function quoted(question: string, spans: readonly (readonly [number, number])[]): readonly string[] {
  // Spans count code points, a string counts UTF-16 units.
  const characters = Array.from(question);
  return spans.map(([start, end]) => `“${shown(characters.slice(start, end).join(''))}”`);
}

/** The headline of an answer to less than was asked; empty where it is to the whole question. */
export function partialWords(question: string, { partial }: Finished): string {
  const words = quoted(question, partial ?? []);
  return words.length > 0 ? filled(PARTIAL[words.length === 1 ? 'one' : 'several'], { words: words.join(', ') }) : '';
}

/** The answer to a yes-no question, and what it was checked against; null for other questions. */
export function claimWords(
  question: string,
  { claim }: Finished,
): { readonly said: string; readonly why: string } | null {
  if (!claim) return null;
  const [words = ''] = quoted(question, [[claim.start, claim.end]]);
  return claim.holds
    ? { said: CLAIM.yes, why: filled(CLAIM.among, { words }) }
    : { said: CLAIM.no, why: filled(CLAIM.others, { words }) };
}

/** Whether a comparison of two things holds, if that was asked, and their values; null for other questions. */
export function comparedWords({
  compared,
  answers,
}: Finished): { readonly said: string; readonly values: readonly string[] } | null {
  if (!compared) return null;
  const values = compared.values.map(({ term, value, unit }) =>
    filled(COMPARED.value, {
      thing: termWords(term),
      relation: shown(compared.relation.label),
      value: termWords(value, unit),
    }),
  );
  const said = compared.holds === null ? '' : compared.holds ? COMPARED.yes : COMPARED.no;
  return { said, values: answers.length > 1 ? [...values, COMPARED.same] : values };
}

/** The words of the question that no decision used, without those that make its answer partial; empty without any. */
export function unusedWords(question: string, { unused_words: unused, partial }: Finished): string {
  const isPartial = ([start]: readonly [number, number]) => (partial ?? []).some(([from]) => from === start);
  const words = quoted(
    question,
    (unused ?? []).filter((span) => !isPartial(span)),
  );
  return words.length > 0 ? filled(UNUSED, { words: words.join(', ') }) : '';
}

/** What of the question is not understood at all, a sentence a kind; nothing where it is all understood. */
export function notUnderstoodLines(question: string, { not_understood: parts }: Finished): readonly string[] {
  return (['negation', 'comparison', 'second question'] as const).flatMap((kind) => {
    const spans = (parts ?? []).filter(({ what }) => what === kind);
    const words = quoted(
      question,
      spans.map(({ start, end }) => [start, end] as const),
    );
    return words.length > 0 ? [filled(NOT_UNDERSTOOD[kind], { words: words.join(', ') })] : [];
  });
}

/** The weight of an answer, an option or a proof, in three digits. */
export function weightWords(weight: number): string {
  return decimal(Number(weight.toPrecision(3)), 6);
}

/** A reading as the state of a run that would have taken its decisions. */
function stateOf({ nodes, constraints }: Reading): RunState {
  const states = nodes.map((out) => ({ out, members: 0, gained: 0, listed: 0, available: 0, weight: null }));
  return { ...EMPTY, nodes: states, constraints };
}

function ofStage(words: Readonly<Record<string, string>> & { readonly other: string }, stage: string, which: number) {
  return filled(words[stage] ?? words.other, { number: number(which + 1) });
}
