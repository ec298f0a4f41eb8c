import { expect, it } from 'vitest';

import type { ProposedOut, WantedOut } from '../../api/review/review';
import type { OptionRecord, RelationRecord } from '../../api/types';
import { evidenceOf, missingWords, ordinal, wantedWords } from './evidence';

const relation = (label: string): RelationRecord =>
  ({ id: `tv.${label}`, label, context: 'tv', reverse: false, unit: null }) as RelationRecord;
const option = (label: string, probability: number | null, index = 0): OptionRecord =>
  ({ kind: 'step', index, position: 0, relation: relation(label), probability, facts: 1, entities: 1 }) as OptionRecord;
const NONE = { kind: 'none', index: 9, probability: 0.8 } as OptionRecord;
const wanted = (label: string, probability: number | null, rank: number | null): WantedOut => ({
  choice: { kind: 'step', position: 0, relation: `tv.${label}` },
  words: label,
  option: option(label, probability),
  rank,
});
const NOTHING: ProposedOut = {
  error_class: null,
  dog_class: null,
  dog_why: '',
  cause: '',
  stage: null,
  number: null,
  chosen: null,
  wanted: [],
  options: null,
  missing: null,
};
const WRONG: ProposedOut = {
  ...NOTHING,
  error_class: 'E1',
  cause: 'wrong relation',
  stage: 'search',
  number: 1,
  chosen: option('cast', 0.62),
  wanted: [wanted('character', 0.11, 3)],
  options: 14,
};

it('shows what was chosen at the first wrong decision, and how the model took what was wanted', () => {
  expect(evidenceOf(WRONG, null)).toEqual({
    was: 'At search step 2 the model chose “cast” (62 %)',
    wanted: '“character”, 3rd of 14 (11 %)',
  });
  const turned = { ...option('cast', 0.62), relation: { ...relation('cast'), reverse: true } } as OptionRecord;
  expect(evidenceOf({ ...WRONG, chosen: turned }, null).was).toBe(
    'At search step 2 the model chose “cast” backwards (62 %)',
  );
  const stopped = { ...WRONG, number: 0, chosen: NONE };
  expect(evidenceOf(stopped, null).was).toBe('At search step 1 the model chose to stop (80 %)');
  const condition = { ...WRONG, stage: 'prune', number: 0, chosen: NONE } as const;
  expect(evidenceOf(condition, null).was).toBe('At condition 1 the model chose no further condition (80 %)');
});

it('says if the wanted option was not in the pool, or was not read', () => {
  const unlisted = { ...wanted('character', null, null), option: null };
  expect(wantedWords(unlisted, WRONG, null)).toBe('“character”, not among the listed options of 14');
  expect(wantedWords(wanted('character', null, null), WRONG, null)).toBe('“character”, which was not read');
});

it('says what the graph lacks, and what a cause means if no decision was wrong', () => {
  const term = (label: string) => ({ id: label, label, kind: 'entity' }) as const;
  const missing = {
    entities: [term('KITT')],
    relation: relation('cast'),
    answers: ['A', 'B', 'C', 'D', 'E'].map(term),
  } as NonNullable<ProposedOut['missing']>;
  expect(missingWords(missing)).toBe(
    'The graph lacks KITT; “cast” leads nowhere; the gold derivation does not lead to A, B, C, D and 1 more.',
  );
  expect(missingWords({ ...missing, entities: [], answers: [] })).toBe('“cast” leads nowhere.');
  expect(evidenceOf({ ...NOTHING, cause: 'gap in the graph', missing }, null).was).toContain('lacks KITT');
  expect(evidenceOf({ ...NOTHING, cause: 'order of answers' }, null)).toEqual({
    was: 'A later answer is right; the first is wrong.',
    wanted: '',
  });
  expect(evidenceOf(NOTHING, null)).toEqual({ was: '', wanted: '' });
});

it('counts places', () => {
  expect([1, 2, 3, 4, 11, 12, 13, 21, 102, 113].map(ordinal)).toEqual([
    '1st',
    '2nd',
    '3rd',
    '4th',
    '11th',
    '12th',
    '13th',
    '21st',
    '102nd',
    '113th',
  ]);
});
