/** A new evaluation as its form holds it, and as the site is asked for it. */
import type {
  Debate,
  Debaters,
  Determination,
  EvaluationIn,
  Planner,
  Predictor,
  Reasoner,
  SufficiencyBy,
} from '../api/types';
import { USUAL_SWITCHES, USUAL_WIDTH } from '../core/words/strategies';

export interface Draft {
  dataset: string;
  /** Of a loaded dataset; null of a file that is loaded as it is first evaluated. */
  version: number | null;
  format: string;
  split: 'validation' | 'train' | 'all';
  /** At most so many questions; null or 0 for all. */
  limit: number | null;
  /** Empty where each question brings its own. */
  graph: string;
  scorer: string;
  strategy: string;
  /** How many readings a strategy keeps that keeps several. */
  width: number;
  /** From how many candidates of an explorer one is chosen, and by whom. */
  candidates: number;
  determination: Determination;
  /** How many plans are followed, who makes them, and who answers from what they lead to. */
  plans: number;
  planner: Planner;
  reasoner: Reasoner;
  /** How many rounds a debate has, who speaks, and which roles. */
  rounds: number;
  debate: Debate;
  debaters: Debaters;
  /** How far a beam over the graph goes, and who says what is enough. */
  depth: number;
  sufficiency: SufficiencyBy;
  /** How many relations are retrieved and entities kept, who answers from the paths, and what is left out of them. */
  relations: number;
  entities: number;
  predictor: Predictor;
  evidenceWithout: EvaluationIn['settings']['evidence_without'];
  /** An answer that a model writes by itself counts, apart from the others. */
  modelMayAnswer: boolean;
  topics: 'gold' | 'linked';
  noTypes: boolean;
  noConditions: boolean;
  chain: boolean;
  perfect: boolean;
  /** Ask the gold query of the graph for answers that the file does not say. */
  goldFromGraph: boolean;
  /** The search must go on until it has so many branches. */
  branches: number | null;
  /** Only questions whose gold structure has so many. */
  goldBranches: number | null;
  note: string;
  group: string;
  /** What another system predicted is judged; no model is asked. */
  others: boolean;
  /** What it is called. */
  system: string;
  /** Its file, once it was sent. */
  upload: string | null;
}

/** What the form shows first. */
export const DRAFT: Readonly<Draft> = {
  dataset: 'sample',
  version: null,
  format: 'discern',
  split: 'validation',
  limit: null,
  graph: '',
  scorer: '',
  strategy: '',
  width: USUAL_WIDTH,
  candidates: USUAL_SWITCHES.candidates,
  determination: USUAL_SWITCHES.determination,
  plans: USUAL_SWITCHES.plans,
  planner: USUAL_SWITCHES.planner,
  reasoner: USUAL_SWITCHES.reasoner,
  rounds: USUAL_SWITCHES.rounds,
  debate: USUAL_SWITCHES.debate,
  debaters: USUAL_SWITCHES.debaters,
  depth: USUAL_SWITCHES.depth,
  sufficiency: USUAL_SWITCHES.sufficiency,
  relations: USUAL_SWITCHES.relations,
  entities: USUAL_SWITCHES.entities,
  predictor: USUAL_SWITCHES.predictor,
  evidenceWithout: [],
  modelMayAnswer: false,
  topics: 'gold',
  noTypes: false,
  noConditions: false,
  chain: false,
  perfect: false,
  goldFromGraph: false,
  branches: null,
  goldBranches: null,
  note: '',
  group: '',
  others: false,
  system: '',
  upload: null,
};

/** What the site is asked for. */
export function wantedBy(draft: Draft): EvaluationIn {
  return {
    dataset: draft.dataset,
    version: draft.version,
    format: draft.format,
    split: draft.split,
    limit: draft.limit || null,
    graph: draft.graph || null,
    scorer: draft.others ? null : draft.scorer,
    note: draft.note,
    group: draft.group,
    predictions: draft.others && draft.upload !== null ? { system: draft.system, upload: draft.upload } : null,
    settings: {
      topics: draft.topics,
      entity_types: !draft.noTypes,
      constraints: !draft.noConditions,
      search: draft.chain ? 'chain' : 'branching',
      min_branches: draft.branches ?? 0,
      gold_branches_from: draft.goldBranches ?? 0,
      perfect: draft.perfect,
      strategy: draft.strategy,
      width: draft.width,
      candidates: draft.candidates,
      determination: draft.determination,
      candidates_without: [],
      plans: draft.plans,
      planner: draft.planner,
      reasoner: draft.reasoner,
      rounds: draft.rounds,
      debate: draft.debate,
      debaters: draft.debaters,
      depth: draft.depth,
      sufficiency: draft.sufficiency,
      relations: draft.relations,
      entities: draft.entities,
      predictor: draft.predictor,
      evidence_without: draft.evidenceWithout,
      model_may_answer: draft.modelMayAnswer,
      gold: draft.goldFromGraph ? 'from-graph' : 'given',
    },
  };
}
