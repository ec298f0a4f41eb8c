/** A new evaluation as its form holds it, and as the site is asked for it. */
import type { EvaluationIn, StrategyOut } from '../api/types';
import { optionValues, type Switches } from '../core/words/strategies';

export interface Draft {
  dataset: string;
  /** Of a loaded dataset; null of a file that is loaded as it is first evaluated. */
  version: number | null;
  format: string;
  split: 'validation' | 'train' | 'all';
  /** Maximum of questions; null or 0 for all. */
  limit: number | null;
  /** Empty where each question brings its own. */
  graph: string;
  scorer: string;
  strategy: string;
  /** Options of the strategy. */
  switches: Switches;
  /** An answer that a model writes by itself counts, apart from the others. */
  modelMayAnswer: boolean;
  topics: 'gold' | 'linked';
  noTypes: boolean;
  noConditions: boolean;
  chain: boolean;
  perfect: boolean;
  /** Ask the gold query of the graph for answers that the file does not say. */
  goldFromGraph: boolean;
  /** Minimum of branches before the search may stop. */
  branches: number | null;
  /** Only questions whose gold structure has at least this number of branches. */
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
  switches: {},
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
export function wantedBy(draft: Draft, strategy: StrategyOut | undefined): EvaluationIn {
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
      model_may_answer: draft.modelMayAnswer,
      gold: draft.goldFromGraph ? 'from-graph' : 'given',
      ...optionValues(strategy?.options ?? [], draft.switches),
    } as EvaluationIn['settings'],
  };
}
