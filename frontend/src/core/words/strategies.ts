/** The words for the ways to answer questions. */
import type {
  Debate,
  Debaters,
  Determination,
  Planner,
  Predictor,
  Reasoner,
  RunOut,
  StrategyOut,
  SufficiencyBy,
} from '../../api/types';
import { shown } from './shown';
import { plural } from './words';

/** How many readings a strategy may keep that keeps several, and how many it keeps until someone chooses. */
export const WIDTHS: readonly number[] = Array.from({ length: 10 }, (_, index) => index + 1);
export const USUAL_WIDTH = 3;

/** From how many candidates of an explorer one may be chosen. */
export const CANDIDATES: readonly number[] = [1, 2, 3, 4, 5, 6];
/** Who may choose among them. */
export const DETERMINATIONS: Readonly<Record<Determination, string>> = {
  scorer: 'the model that decides',
  explorer: 'the explorer itself',
  writer: 'a model that writes',
};

/** How many plans may be followed. */
export const PLANS_FOLLOWED: readonly number[] = Array.from({ length: 10 }, (_, index) => index + 1);
/** Who may make them. */
export const PLANNERS: Readonly<Record<Planner, string>> = {
  scorer: 'the model that decides',
  writer: 'a model that writes',
};
/** Who may answer from what they lead to. */
export const REASONERS: Readonly<Record<Reasoner, string>> = {
  rank: 'their weights',
  writer: 'a model that writes',
};

/** How many rounds a debate may have. */
export const ROUNDS_OF_DEBATE: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8];
/** Who may speak in it. */
export const DEBATES: Readonly<Record<Debate, string>> = {
  rule: 'rules',
  writer: 'a model that writes',
};
/** Which roles may speak. */
export const DEBATERS: Readonly<Record<Debaters, string>> = {
  '1': 'the simplifier alone',
  '2': 'simplifier and critic',
  '3': 'three roles',
  'one-for-all': 'one agent for all roles',
};
/** How many relations far a beam over the graph may go. */
export const DEPTHS: readonly number[] = [1, 2, 3, 4, 5];
/** Who may say what is enough. */
export const SUFFICIENCIES: Readonly<Record<SufficiencyBy, string>> = {
  scorer: 'the model that decides',
  writer: 'a model that writes',
};

/** How many relations a round may retrieve, and how many entities may be kept along each. */
export const RELATIONS_RETRIEVED: readonly number[] = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20];
export const ENTITIES_KEPT: readonly number[] = [1, 3, 5, 10, 30, 100, 300, 1000];
/** Who may answer from weighed paths. */
export const PREDICTORS: Readonly<Record<Predictor, string>> = {
  rank: 'their weights',
  choice: 'the model that decides',
  writer: 'a model that writes',
};

/** What may be left out of them, to measure what it is worth. */
export const EVIDENCE_PARTS = {
  filter: 'no entity is judged, so that all are kept and weigh the same',
  paths: 'no paths: an entity weighs what it was given alone',
  predictor: 'no predictor: all that paths lead to is an answer',
} as const;

/** What may be said beside the name of a strategy. */
export interface Switches {
  /** How many readings are kept. */
  readonly width: number;
  readonly candidates: number;
  readonly determination: Determination;
  /** How many plans are followed, who makes them, and who answers from what they lead to. */
  readonly plans: number;
  readonly planner: Planner;
  readonly reasoner: Reasoner;
  /** How many rounds a debate has, who speaks, and which roles. */
  readonly rounds: number;
  readonly debate: Debate;
  readonly debaters: Debaters;
  /** How far a beam over the graph goes, and who says what is enough. */
  readonly depth: number;
  readonly sufficiency: SufficiencyBy;
  /** How many relations a round retrieves, how many entities are kept along each, and who answers from the paths. */
  readonly relations: number;
  readonly entities: number;
  readonly predictor: Predictor;
  /** Whether what a model answers by itself is told. */
  readonly ownAnswers: boolean;
}

/** What they are where nobody says otherwise. */
export const USUAL_SWITCHES: Switches = {
  width: USUAL_WIDTH,
  candidates: 3,
  determination: 'scorer',
  plans: 3,
  planner: 'scorer',
  reasoner: 'rank',
  rounds: 3,
  debate: 'rule',
  debaters: '3',
  depth: 3,
  sufficiency: 'scorer',
  relations: 3,
  entities: 300,
  predictor: 'rank',
  ownAnswers: false,
};

/** Those that a run was asked with. */
export function switchesOf(run: RunOut): Switches {
  const { width, candidates, determination, plans, planner, reasoner } = run;
  const { rounds, debate, debaters, depth, sufficiency, relations, entities, predictor } = run;
  return {
    ...{ width, candidates, determination, plans, planner, reasoner },
    ...{ rounds, debate, debaters, depth, sufficiency, relations, entities, predictor },
    ownAnswers: run.model_may_answer,
  };
}

/**
 * Whether a model writes answers of its own in a strategy: in one that ranks candidates, follows plans or weighs paths,
 * where it chooses among them or answers from what they lead to; in one that debates, where it speaks; in one with a beam
 * over the graph, where it says what is enough.
 */
export function mayAnswerByItself(
  strategy: StrategyOut | undefined,
  {
    determination,
    reasoner,
    debate,
    sufficiency,
    predictor,
  }: Pick<Switches, 'determination' | 'reasoner' | 'debate' | 'sufficiency' | 'predictor'>,
): boolean {
  if (!strategy?.own_answers) return false;
  return (
    (!strategy.determines || determination === 'writer') &&
    (!strategy.plans || reasoner === 'writer') &&
    (!strategy.debates || debate === 'writer') &&
    (!strategy.beams || sufficiency === 'writer') &&
    (!strategy.predicts || predictor === 'writer')
  );
}

/** Whether anything may be said beside the name of a strategy. */
export function hasSwitches(strategy: StrategyOut): boolean {
  const { keeps_readings, determines, plans, debates, beams, predicts } = strategy;
  return keeps_readings || determines || plans || debates || beams || predicts;
}

/** What the site is asked for: of the switches those that mean something for a strategy. */
export function switchesWanted(strategy: StrategyOut | undefined, switches: Switches) {
  return {
    width: strategy?.keeps_readings || strategy?.beams ? switches.width : null,
    candidates: strategy?.determines ? switches.candidates : null,
    determination: strategy?.determines ? switches.determination : null,
    plans: strategy?.plans || strategy?.predicts ? switches.plans : null,
    planner: strategy?.plans ? switches.planner : null,
    reasoner: strategy?.plans ? switches.reasoner : null,
    rounds: strategy?.debates ? switches.rounds : null,
    debate: strategy?.debates ? switches.debate : null,
    debaters: strategy?.debates ? switches.debaters : null,
    depth: strategy?.beams ? switches.depth : null,
    sufficiency: strategy?.debates || strategy?.beams ? switches.sufficiency : null,
    relations: strategy?.predicts ? switches.relations : null,
    entities: strategy?.predicts ? switches.entities : null,
    predictor: strategy?.predicts ? switches.predictor : null,
    model_may_answer: mayAnswerByItself(strategy, switches) && switches.ownAnswers,
  };
}

/** The strategy of a name, or else the usual one. */
export function strategyNamed(strategies: readonly StrategyOut[], name: string | null): StrategyOut | undefined {
  return strategies.find((each) => each.name === name) ?? strategies[0];
}

/** How something was answered: "READS with a width, keeping 3 readings"; empty where it was the usual way. */
export function strategyWords(strategies: readonly StrategyOut[], name: string, width: number): string {
  const [usual] = strategies;
  if (!usual || usual.name === name) return '';
  const strategy = strategies.find((each) => each.name === name);
  if (!strategy) return shown(name);
  const title = shown(strategy.title);
  return strategy.keeps_readings ? `${title}, keeping ${plural(width, 'reading')}` : title;
}

const DETERMINED = { explorer: 'explorer alone', writer: 'determined by a model that writes' } as const;
const PREDICTED = {
  choice: 'answered from paths by the model that decides',
  writer: 'answered from paths by a model that writes',
} as const;

/** What was said beside the name of a strategy that differs from the usual, but for how many readings are kept. */
export function unusualSwitches(switches: Omit<Switches, 'width' | 'ownAnswers'>): readonly string[] {
  const { candidates, determination, plans, planner, reasoner, rounds, debate, debaters } = switches;
  const { depth, sufficiency, relations, entities, predictor } = switches;
  return [
    ...(candidates === USUAL_SWITCHES.candidates ? [] : [plural(candidates, 'candidate')]),
    ...(determination === 'scorer' ? [] : [DETERMINED[determination]]),
    ...(plans === USUAL_SWITCHES.plans ? [] : [plural(plans, 'plan')]),
    ...(planner === 'scorer' ? [] : ['plans by a model that writes']),
    ...(reasoner === 'rank' ? [] : ['answered from paths by a model that writes']),
    ...(rounds === USUAL_SWITCHES.rounds ? [] : [plural(rounds, 'round')]),
    ...(debate === 'rule' ? [] : ['debated by a model that writes']),
    ...(debaters === '3' ? [] : [DEBATERS[debaters]]),
    ...(depth === USUAL_SWITCHES.depth ? [] : [`at most ${plural(depth, 'hop')}`]),
    ...(sufficiency === 'scorer' ? [] : ['enough for a model that writes']),
    ...(relations === USUAL_SWITCHES.relations ? [] : [`${plural(relations, 'relation')} a round`]),
    ...(entities === USUAL_SWITCHES.entities ? [] : [`${plural(entities, 'entity', 'entities')} a relation`]),
    ...(predictor === 'rank' ? [] : [PREDICTED[predictor]]),
  ];
}

/** What a way to answer is called: its strategy, and what of its switches is not as usual. */
export function wayTitle(strategies: readonly StrategyOut[], name: string, switches: Switches): string {
  const strategy = strategies.find((each) => each.name === name);
  if (!strategy) return shown(name);
  const { width, ownAnswers } = switches;
  const unusual = [
    ...(strategy.keeps_readings ? [plural(width, 'reading')] : []),
    ...(strategy.beams && width !== USUAL_WIDTH ? [`${plural(width, 'entity', 'entities')} a hop`] : []),
    ...unusualSwitches(switches),
    ...(ownAnswers ? ['with its own answers'] : []),
  ];
  return [shown(strategy.title), ...unusual].join(', ');
}
