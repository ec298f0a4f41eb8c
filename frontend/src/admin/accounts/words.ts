/** What the pages of accounts say. */
import type { AuditEntryOut, Role } from '../../api/types';
import { shown } from '../../core/words/shown';

/** The roles, as people read them, the one that may least first. */
export const ROLES: readonly { readonly value: Role; readonly name: string; readonly may: string }[] = [
  { value: 'asker', name: 'Asker', may: 'asks questions' },
  { value: 'annotator', name: 'Annotator', may: 'asks and labels' },
  { value: 'reviewer', name: 'Reviewer', may: 'asks, labels and judges' },
  {
    value: 'admin',
    name: 'Admin',
    may: 'has all rights of the other roles, and manages users, evaluations and trainings',
  },
];

const REFUSALS: Readonly<Record<string, string>> = {
  off: 'This site has no single sign-on. Sign in with user name and password.',
  often: 'Too many attempts. Wait a minute, then try again.',
  denied: 'The sign-in was cancelled at the provider. Try again.',
  unverified: 'The provider has not verified your e-mail address. Verify it there, then try again.',
  ambiguous: 'Several accounts here have your e-mail address. Ask an administrator to correct this.',
  other_person: 'The account with your e-mail address is linked to another user of the provider. Ask an administrator.',
  closed: 'Your account here is closed. Ask an administrator to reopen it.',
  provider: 'The provider gave an unexpected answer. Try again. If this happens again, report it to the administrator.',
  failed: 'The answer of the provider was not accepted. Sign in again from here.',
  again: 'Your account was being created at the same time. Try again.',
};

/** Why single sign-on failed, by the code that the site sends. */
export function refusalWords(code: string | null): string | null {
  if (code === null) return null;
  return REFUSALS[code] ?? 'Sign-in failed. Try again.';
}

/** One thing that an administrator did, as a sentence. */
export function auditWords({ who, words, on, before, after }: AuditEntryOut): string {
  const change =
    before && after ? `: from ${before} to ${after}` : after ? `: ${after}` : before ? `: was ${before}` : '';
  return shown(`${who} ${words} ${on}${change}`);
}
