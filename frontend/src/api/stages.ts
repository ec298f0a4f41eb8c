/** The stages of a run, in their order. Generated from the engine by `manage.py export_openapi`. */
export const STAGES = [
  { name: 'link', label: 'Begin' },
  { name: 'search', label: 'Search' },
  { name: 'prune', label: 'Prune' },
  { name: 'infer', label: 'Answer' },
] as const;

/** A stage, by the name that events and figures give it. */
export type Stage = (typeof STAGES)[number]['name'];
