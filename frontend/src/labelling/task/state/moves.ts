/** Moves in words. */
import type { Change, Draft } from '../../../core/labels/labelling';

const FIELDS: Readonly<Record<keyof Draft, string>> = {
  kind: 'what the label says',
  topic: 'the topic',
  steps: 'the facts that lead on',
  steps_ended: 'that nothing more leads on',
  conditions: 'the conditions',
  conditions_ended: 'that no condition is left',
  answer: 'the place of the answer',
  counted: 'whether the answers are counted',
  marked: 'the marked answers',
  facts: 'the chosen facts',
  missing: 'what is missing',
  readings: 'the readings',
  rewording: 'the rewording',
  benchmark: 'what is wrong with the benchmark',
  reports: 'the reported facts',
  note: 'the note',
  flagged: 'the flag',
};

/** What a move changes: "the topic, the facts that lead on". */
export function changesWords({ now }: Change): string {
  return (Object.keys(now) as (keyof Draft)[]).map((field) => FIELDS[field]).join(', ');
}
