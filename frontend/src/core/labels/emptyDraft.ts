/** For tests: a draft before its first move. */
import type { Draft } from './labelling';

export const EMPTY_DRAFT: Draft = {
  kind: 'derivation',
  topic: null,
  steps: [],
  steps_ended: false,
  conditions: [],
  conditions_ended: false,
  answer: null,
  counted: false,
  marked: [],
  facts: [],
  missing: null,
  readings: [],
  rewording: '',
  benchmark: null,
  reports: [],
  note: '',
  flagged: false,
};
