/** Moves in words. */
import type { Change, Draft } from '../../../core/labels/labelling';

const FIELDS: Readonly<Record<keyof Draft, string>> = {
  kind: 'the kind of label',
  topic: 'the topic',
  steps: 'the facts of the search',
  steps_ended: 'the end of the search',
  conditions: 'the conditions',
  conditions_ended: 'the end of the conditions',
  answer: 'the answer node',
  counted: 'the counting of answers',
  marked: 'the marked answers',
  facts: 'the chosen facts',
  missing: 'the missing part',
  readings: 'the readings',
  rewording: 'the rewording',
  benchmark: 'the error of the benchmark',
  reports: 'the reported facts',
  note: 'the note',
  flagged: 'the flag',
};

/** What a move changes: "the topic, the facts of the search". */
export function changesWords({ now }: Change): string {
  return (Object.keys(now) as (keyof Draft)[]).map((field) => FIELDS[field]).join(', ');
}
