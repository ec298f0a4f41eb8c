import { expect, test } from 'vitest';

import type { SuggestionsOut } from '../../../api/labelling/annotation';
import { NOTHING_SUGGESTED, passed, suggestionsWords, wantedSuggestions, withoutWords } from './suggestions';

const AT_WORK: SuggestionsOut = {
  source: 'encoder, READS',
  status: 'running',
  reason: '',
  waits: null,
  wanted: 1_200,
  found: 1_037,
  unanswered: 3,
  late: 1,
};

test('the site is asked for a model only where one suggests, and for a blind share only where something is', () => {
  const chosen = { ...NOTHING_SUGGESTED, scorer: 'encoder', strategy: 'beam', width: 5 };
  expect(wantedSuggestions({ ...chosen, suggests: 'model' }, 20)).toEqual({
    suggests: 'model',
    suggester: { scorer: 'encoder', strategy: 'beam', width: 5 },
    blind_percent: 20,
  });
  expect(wantedSuggestions({ ...chosen, suggests: 'dataset' }, 20)).toMatchObject({
    suggests: 'dataset',
    blind_percent: 20,
  });
  expect(wantedSuggestions(chosen, 20)).toMatchObject({ suggests: 'nothing', blind_percent: 0 });
  expect(wantedSuggestions(chosen, 20).suggester).not.toHaveProperty('scorer');
});

test('how far a model is, and why some questions have no suggestion', () => {
  expect(suggestionsWords(AT_WORK)).toBe('Suggestions for 1,037 of 1,200 questions, running');
  expect(withoutWords(AT_WORK, 1_200)).toBe('3 without an answer, 1 was assigned earlier');
  expect(passed(AT_WORK)).toBe(1_041);
  const done: SuggestionsOut = { ...AT_WORK, status: 'succeeded', wanted: 1, found: 1, unanswered: 0, late: 0 };
  expect(suggestionsWords(done)).toBe('Suggestions for 1 of 1 question');
  expect(withoutWords(done, 1)).toBe('');
  expect(withoutWords({ ...done, late: 2 }, 2)).toBe('2 were assigned earlier, 1 more is labelled blind');
  expect(withoutWords(done, 401)).toBe('400 more are labelled blind');
});
