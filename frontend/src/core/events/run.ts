/**
 * What is known of a run: a pure fold over its events. The state at step k is the fold of a prefix, so watching live,
 * replaying and scrubbing are one thing.
 */
import type { components } from '../../api/schema';
import type { Stage } from '../../api/stages';
import { grown, type Reading } from './readings';
import type {
  ConstraintRecord,
  DecisionRecord,
  FactRecord,
  RunEventOut,
  SemanticNodeRecord,
  StageEvent,
  TermRecord,
} from '../../api/types';

type Schemas = components['schemas'];

/** Which stage is at work, if the run has begun and is not over. */
type Phase = 'waiting' | Stage | 'over';

/** A node of S_k with what G_k holds there. */
export interface NodeState {
  readonly out: SemanticNodeRecord;
  /** How many terms the node holds. */
  readonly members: number;
  /** How many facts G_k gained with it. */
  readonly gained: number;
  /** How many of those the event listed. */
  readonly listed: number;
  /** How many the graph holds; more than were gained where the limit of a step cut them. */
  readonly available: number;
  /** How much a strategy that weighs relations gives the one that leads here, 0 to 1; null where none does. */
  readonly weight: number | null;
}

/** A round of a beam: the readings that it kept, and of how many. */
export interface Round {
  readonly number: number;
  readonly considered: number;
  /** The most probable first. */
  readonly kept: readonly KeptReading[];
}

/** A reading as a round kept it. */
export interface KeptReading {
  readonly reading: Reading;
  readonly probability: number;
  /** Whether it has come to its end. */
  readonly over: boolean;
}

/** S_k, G_k and all that was decided so far. Immutable. */
export interface RunState {
  readonly phase: Phase;
  readonly started: Schemas['Started'] | null;
  readonly linked: Schemas['EntityLinked'] | null;
  readonly nodes: readonly NodeState[];
  readonly facts: readonly FactRecord[];
  readonly constraints: readonly ConstraintRecord[];
  readonly pruned: Schemas['Pruned'] | null;
  /** The removed facts by their id. */
  readonly removed: ReadonlyMap<number, Schemas['RemovedFact']>;
  readonly answerPosition: number | null;
  /** The rounds in which several readings were kept side by side. */
  readonly rounds: readonly Round[];
  /** What was said about how to shorten the question, and what it became, round by round. */
  readonly turns: readonly Schemas['DebateTurn'][];
  readonly shortened: readonly Schemas['QuestionSimplified'][];
  /** How many choices were made: by the model, by the asker, or given. */
  readonly decisions: number;
  readonly end: Schemas['Finished'] | Schemas['Undecided'] | Schemas['Failed'] | Schemas['Cancelled'] | null;
}

/** Before the first event. */
export const EMPTY: RunState = {
  phase: 'waiting',
  started: null,
  linked: null,
  nodes: [],
  facts: [],
  constraints: [],
  pruned: null,
  removed: new Map(),
  answerPosition: null,
  rounds: [],
  turns: [],
  shortened: [],
  decisions: 0,
  end: null,
};

/** The state after one event more. */
export function reduce(state: RunState, event: StageEvent): RunState {
  switch (event.kind) {
    case 'started':
      return { ...state, phase: 'link', started: event };
    case 'entity_linked':
      return {
        ...state,
        phase: 'search',
        linked: event,
        decisions: state.decisions + (event.topic ? 1 : 0),
        nodes: event.root ? [{ out: event.root, members: 1, gained: 0, listed: 0, available: 0, weight: null }] : [],
      };
    case 'search_step':
      return {
        ...state,
        phase: 'search',
        nodes: [
          ...state.nodes,
          {
            out: event.node,
            members: event.members,
            gained: event.facts_gained,
            listed: event.facts.length,
            available: event.facts_available,
            weight: event.weight ?? null,
          },
        ],
        facts: [...state.facts, ...event.facts],
        decisions: state.decisions + 1,
      };
    case 'search_ended':
      return { ...state, phase: 'prune', decisions: state.decisions + made(event.decision) };
    case 'constraint_chosen':
      return {
        ...state,
        phase: 'prune',
        constraints: [...state.constraints, event.constraint],
        decisions: state.decisions + 1,
      };
    case 'pruned':
      return { ...state, pruned: event, removed: new Map(event.removed.map((removed) => [removed.fact, removed])) };
    case 'pruning_ended':
      return { ...state, phase: 'infer', decisions: state.decisions + made(event.decision) };
    case 'answer_position':
      return { ...state, phase: 'infer', answerPosition: event.position, decisions: state.decisions + 1 };
    case 'no_candidate':
      return { ...state, phase: 'infer', decisions: state.decisions + 1 };
    case 'answers_counted':
      // Their wording does not change S_k and G_k.
      return { ...state, phase: 'infer' };
    case 'readings_kept':
      return { ...state, rounds: [...state.rounds, roundOf(state, event)] };
    case 'candidates_ranked':
      return { ...state, phase: 'infer' };
    case 'debate_turn':
      return { ...state, turns: [...state.turns, event] };
    case 'question_simplified':
      return { ...state, shortened: [...state.shortened, event] };
    case 'selection':
    case 'sufficiency':
    case 'layer_explored':
    case 'plans_proposed':
    case 'frontier_kept':
    case 'paths_weighed':
    case 'model_wrote':
      // None of them adds to S_k or G_k.
      return state;
    case 'finished':
    case 'undecided':
    case 'failed':
    case 'cancelled':
      return { ...state, phase: 'over', end: event };
    default:
      return unknownKind(event);
  }
}

/** The state after all of the events. */
export function fold(events: readonly RunEventOut[]): RunState {
  return events.reduce((state, { event }) => reduce(state, event), EMPTY);
}

/**
 * Where the events of every step end. A step says what the question is about, is a decision, keeps several options, is a
 * layer that was explored, what came of it, plans that were proposed, a try or a shorter question, a frontier that was kept, paths that were weighed,
 * or a text that a model wrote; what followed belongs to it.
 */
export function stepEnds(events: readonly RunEventOut[]): readonly number[] {
  const starts = events.flatMap(({ event }, index) => (beginsStep(event) ? [index] : []));
  return starts.map((_, step) => starts[step + 1] ?? events.length);
}

/** S_k, G_k and the rest as they stood after a step; before step 0, only what is known at the start. */
export function stateAt(events: readonly RunEventOut[], step: number): RunState {
  const ends = stepEnds(events);
  return fold(events.slice(0, ends[Math.min(step, ends.length - 1)] ?? events.length));
}

/** An event of a step that chooses no option. */
export type Aside = Extract<StageEvent, { readonly kind: (typeof ASIDES)[number] }>;

const ASIDES = [
  'selection',
  'layer_explored',
  'candidates_ranked',
  'plans_proposed',
  'frontier_kept',
  'paths_weighed',
  'sufficiency',
  'question_simplified',
  'model_wrote',
] as const;

/** Whether an event chooses no option, and is a step nevertheless: it records what was kept, found, proposed or written. */
export function isAside(event: StageEvent): event is Aside {
  return (ASIDES as readonly string[]).includes(event.kind);
}

/** Whether an event is what a step is about. */
export function beginsStep(event: StageEvent): boolean {
  return ['entity_linked', 'answers_counted'].includes(event.kind) || isAside(event) || decisionOf(event) !== null;
}

/** The choice that an event reports, if it reports one. */
export function decisionOf(event: StageEvent): DecisionRecord | null {
  switch (event.kind) {
    case 'entity_linked':
    case 'search_step':
    case 'constraint_chosen':
    case 'answer_position':
    case 'no_candidate':
    case 'search_ended':
    case 'pruning_ended':
      return event.decision;
    default:
      return null;
  }
}

/** A term in its place: the same entity at two positions of S_k is two nodes of the drawing. */
export type Place = `${number}:${string}`;

/** The place of a term. */
export function placeOf(position: number, term: TermRecord): Place {
  return `${position}:${term.id}`;
}

/** The place of a fact's end that belongs to the parent node. */
export function sourceOf(state: RunState, fact: FactRecord): Place {
  return placeOf(state.nodes[fact.position]?.out.parent ?? 0, fact.source);
}

/** The place of a fact's end that belongs to its own node. */
export function targetOf(fact: FactRecord): Place {
  return placeOf(fact.position, fact.target);
}

/** The listed terms of a node. */
export interface Members {
  readonly kept: readonly TermRecord[];
  readonly removed: readonly TermRecord[];
}

/** Which of the listed terms of a node pruning kept and which it took out. */
export function membersOf(state: RunState, position: number): Members {
  if (position === 0) {
    const topic = state.linked?.topic;
    return { kept: topic ? [topic] : [], removed: [] };
  }
  const kept = new Map<string, TermRecord>();
  const removed = new Map<string, TermRecord>();
  for (const fact of state.facts) {
    if (fact.position !== position) continue;
    (state.removed.has(fact.id) ? removed : kept).set(fact.target.id, fact.target);
  }
  for (const id of kept.keys()) removed.delete(id);
  return { kept: [...kept.values()], removed: [...removed.values()] };
}

/** The nodes from the root to a position, both included. */
export function pathTo(state: RunState, position: number): readonly NodeState[] {
  const path: NodeState[] = [];
  let at: number | null = position;
  while (at !== null) {
    const node: NodeState | undefined = state.nodes[at];
    if (!node) break;
    path.unshift(node);
    at = node.out.parent;
  }
  return path;
}

function roundOf(state: RunState, event: Schemas['ReadingsKept']): Round {
  const before = state.rounds.at(-1)?.kept ?? [];
  return {
    number: event.round,
    considered: event.considered,
    kept: event.kept.map(({ parent, decision, probability, over }) => {
      const option = decision?.options.find(({ index }) => index === decision.chosen);
      const reading = grown(before[parent]?.reading, option, state.linked?.topic ?? null);
      return { reading, probability, over };
    }),
  };
}

function made(decision: DecisionRecord | null): number {
  return decision ? 1 : 0;
}

function unknownKind(event: never): never {
  throw new Error(`an event of an unknown kind: ${JSON.stringify(event)}`);
}
