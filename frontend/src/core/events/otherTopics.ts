/** Other topics that a question may be about, where the choice was close. */
import type { OptionRecord } from '../../api/types';
import { MEANT, MEANT_FROM, RUNNERS_UP } from '../../api/wording';
import { shown } from '../words/shown';
import { filled } from '../words/filled';
import { aboutInstead, type Change } from './changes';
import type { Moment } from './timeline';

/** A topic that was not chosen, in words with what distinguishes it, and the change that asks about it. */
export interface OtherTopic {
  readonly id: string;
  readonly words: string;
  readonly change: Change;
}

/** The topics that were nearly chosen, the most probable first; none where a person chose. */
export function otherTopics(moments: readonly Moment[]): readonly OtherTopic[] {
  const decision = moments.find(({ stage }) => stage === 'link')?.decision;
  if (!decision || decision.given || !decision.exact) return [];
  return decision.options
    .filter(isMeant)
    .filter(({ index }) => index !== decision.chosen)
    .slice(0, RUNNERS_UP)
    .map(({ term, hint }) => ({
      id: term.id,
      words: filled(hint ? MEANT.hinted : MEANT.plain, { topic: shown(term.label), hint: shown(hint) }),
      change: aboutInstead(term.id),
    }));
}

function isMeant(option: OptionRecord): option is Extract<OptionRecord, { kind: 'topic' }> {
  return option.kind === 'topic' && (option.probability ?? 0) >= MEANT_FROM;
}
