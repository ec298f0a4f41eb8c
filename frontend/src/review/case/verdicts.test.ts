import { expect, it } from 'vitest';

import type { ReviewEntryOut } from '../../api/review/review';
import { didWords, otherCauses, verdictWords } from './verdicts';

const NOTHING: ReviewEntryOut = {
  who: 'Rosa',
  at: '2026-01-01T00:00:00Z',
  says: null,
  cause: null,
  comment: null,
  assignee: null,
  undone: false,
  together: '00000000-0000-4000-8000-000000000000',
};
const ROSA = [{ username: 'rosa', name: 'Rosa' }];

it('says a verdict with its cause', () => {
  expect(verdictWords('agree', '')).toBe('The proposed cause is right');
  expect(verdictWords('other', 'linking')).toBe('Another cause: linking');
  expect(verdictWords('other', 'wrong place')).toBe('Another cause: wrong answer node');
  expect(verdictWords('gold', 'gold outdated')).toBe('The benchmark is wrong: outdated');
  expect(otherCauses('linking').map(({ cause }) => cause)).not.toContain('linking');
});

it('words what a reviewer did with a case, and undid', () => {
  expect(didWords({ ...NOTHING, says: 'no_error', cause: '' }, ROSA)).toBe('verdict: Not an error');
  expect(didWords({ ...NOTHING, comment: 'See the other one', assignee: 'rosa' }, ROSA)).toBe(
    'wrote “See the other one”; assigned it to Rosa',
  );
  expect(didWords({ ...NOTHING, says: '', cause: '', undone: true }, ROSA)).toBe('undid this: no verdict again');
  expect(didWords({ ...NOTHING, assignee: '' }, ROSA)).toBe('removed the assignee');
});
