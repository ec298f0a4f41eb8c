/** The stages of a run, in their order. Generated from the engine by `manage.py export_openapi`. */
export const STAGES = [
  { name: 'link', label: 'Begin' },
  { name: 'search', label: 'Search' },
  { name: 'prune', label: 'Prune' },
  { name: 'infer', label: 'Answer' },
] as const;

/** A stage, by the name that events and figures give it. */
export type Stage = (typeof STAGES)[number]['name'];

/** The stage of each kind of event that records a decision. */
export const STAGE_OF_EVENT = {
  entity_linked: 'link',
  search_step: 'search',
  search_ended: 'search',
  constraint_chosen: 'prune',
  pruning_ended: 'prune',
  answer_position: 'infer',
  answers_counted: 'infer',
  no_candidate: 'infer',
} as const;
