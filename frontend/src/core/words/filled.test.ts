import { expect, test } from 'vitest';

import worded from '../../../../tests/worded.json';
import type { ConstraintRecord, Finished, ReadingRecord, TermRecord } from '../../api/types';
import { FROM_THE_MODEL, READING, STOPPED, UNDECIDED } from '../../api/wording';
import {
  continuedLines,
  keptWords,
  notUnderstoodLines,
  openWords,
  readingAnswers,
  readingWords,
  roundWords,
  saidLines,
  unusedWords,
} from '../events/eventSentences';
import { filled, pieces } from './filled';
import { recorded } from '../events/recorded';
import { EMPTY, fold } from '../events/run';
import { momentsOf, plain, weakestWords, type Moment } from '../events/timeline';
import { doubtsOf, missingTitle, missingWords, runnersUp, sureWords } from '../events/verdict';
import { plural } from './format';
import { conditionWords, termWords } from './words';

test('what stands in braces is filled in, and nothing in what is filled in', () => {
  expect(filled('{node} {comparison}', { node: '{comparison}', comparison: 'is KITT' })).toBe('{comparison} is KITT');
  expect(pieces('Follow {relation}!', { relation: 1 }, () => 0)).toEqual([0, 1, 0]);
});

test.each(Object.entries(worded.runs))(
  '%s is worded as the terminal words it',
  (name, { told: sentences, doubtful, stopped, ...missing }) => {
    const events = recorded(name);
    const moments = momentsOf(events);
    const whole = fold(events);
    const { started, rounds, end } = whole;
    const finished = end?.kind === 'finished' ? end : null;
    const lines = [
      ...(started ? continuedLines(started) : []),
      ...rounds.flatMap((round) => [roundWords(round), ...round.kept.map(keptWords)]),
      ...moments.flatMap(({ sentence, notes, aside }) => [
        ...[sentence, ...notes].map(plain),
        ...(aside?.kind === 'model_wrote' ? saidLines(aside) : []),
      ]),
      ...(end?.kind === 'undecided' ? [UNDECIDED.title, openWords(whole, end)] : []),
      ...(finished?.verdict === 'from_the_model' ? [FROM_THE_MODEL] : []),
      ...(finished ? sureLines(finished, moments) : []),
      ...(finished ? notUnderstoodLines(started?.question ?? '', finished) : []),
      ...(finished ? [unusedWords(started?.question ?? '', finished)] : []),
      ...(finished?.readings ? [plural(finished.readings.length, 'other reading')] : []),
      ...(finished?.readings ?? []).map((each) =>
        filled(READING.comes_to, { reading: readingWords(each), answers: readingAnswers(each) }),
      ),
    ];
    expect(lines.filter((line) => line !== '')).toEqual(sentences);
    expect(moments.filter(({ decision }) => decision).map(({ doubt }) => doubt !== null)).toEqual(doubtful);
    const reason = finished ? missingWords(finished, whole, moments, started?.graph_title ?? '') : '';
    expect(reason).toBe(missing.reason);
    const next = finished ? runnersUp(finished, whole, moments).map(({ words }) => words) : [];
    const ways = [
      finished ? sureWords(finished, moments) : '',
      next.length > 0 ? filled(STOPPED.next, { options: next.join(', ') }) : '',
    ];
    expect(ways.filter((line) => line !== '')).toEqual(stopped);
    if (missing.title) expect(finished && missingTitle(finished, whole)).toBe(missing.title);
  },
);

/** How sure the model was, and of which decision the least. */
function sureLines(finished: Finished, moments: readonly Moment[]): readonly string[] {
  const { sure, weakest } = doubtsOf(finished, moments);
  if (!weakest) return [sure];
  return [sure, weakestWords(weakest)];
}

test.each(worded.terms)('$words', ({ term, unit, words }) => {
  expect(termWords(term as TermRecord, unit)).toBe(words);
});

test.each(worded.joined)('$words', ({ reading, words }) => {
  const record = reading as ReadingRecord;
  expect(filled(READING.comes_to, { reading: readingWords(record), answers: readingAnswers(record) })).toBe(words);
});

test.each(worded.conditions)('$words', ({ constraint, words }) => {
  expect(conditionWords(EMPTY, constraint as ConstraintRecord)).toBe(words);
});
