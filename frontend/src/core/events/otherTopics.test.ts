import { expect, test } from 'vitest';

import { otherTopics } from './otherTopics';
import { recorded } from './recorded';
import { momentsOf } from './timeline';

/** A recorded run whose topics have other probabilities, in the order of the options. */
function withTopics(shares: readonly number[]) {
  return momentsOf(
    structuredClone(recorded('condition')).map((logged) => {
      if (logged.event.kind !== 'entity_linked') return logged;
      logged.event.decision?.options.forEach((option, index) => (option.probability = shares[index] ?? 0));
      return logged;
    }),
  );
}

test('a topic that was nearly chosen may be meant, and a click asks about it', () => {
  expect(otherTopics(withTopics([0.6, 0.4]))).toEqual([
    {
      id: 'en.kitt',
      words: 'KITT (TV character)',
      change: { kind: 'replace', stage: 'link', number: 0, choice: { kind: 'topic', entity: 'en.kitt' }, later: 'ask' },
    },
  ]);
});

test('a topic that is far less probable is not offered', () => {
  expect(otherTopics(withTopics([0.85, 0.15]))).toEqual([]);
});
