import { expect, test } from 'vitest';

import type { AuditEntryOut } from '../../api/types';
import { auditWords, refusalWords } from './words';

const entry: AuditEntryOut = {
  id: 1,
  at: '2026-11-22T10:00:00Z',
  who: 'cleo',
  what: 'role_changed',
  words: 'changed the role of',
  on: 'ada',
  before: 'asker',
  after: 'reviewer',
  address: '192.0.2.1',
};

test('what an administrator did is a sentence', () => {
  expect(auditWords(entry)).toBe('cleo changed the role of ada: from asker to reviewer');
  expect(auditWords({ ...entry, words: 'invited', on: 'b@example.org', before: '' })).toBe(
    'cleo invited b@example.org: reviewer',
  );
  expect(auditWords({ ...entry, words: 'deleted the account of', after: '' })).toBe(
    'cleo deleted the account of ada: was asker',
  );
  expect(auditWords({ ...entry, words: 'closed the account of', before: '', after: '' })).toBe(
    'cleo closed the account of ada',
  );
});

test('every refusal has a sentence, also one that is not known', () => {
  expect(refusalWords(null)).toBeNull();
  expect(refusalWords('denied')).toContain('cancelled');
  expect(refusalWords('<b>')).toBe('Sign-in failed. Try again.');
});
