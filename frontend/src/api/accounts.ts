/** Requests about one's own account, and about other people's. */
import { answered, granted, http, remember } from './client';
import type {
  AccountOut,
  AuditEntryOut,
  InvitationOut,
  InvitedOut,
  NewTokenOut,
  PasswordChangedOut,
  PeoplePageOut,
  PersonIn,
  PersonOut,
  Role,
  SessionOut,
  SignedInOut,
  TokenOut,
} from './types';

/** One's own account. */
export const getAccount = (): Promise<AccountOut> => answered(http.GET('/api/account'));

/** Be called something else. */
export const renameAccount = (name: string): Promise<AccountOut> =>
  answered(http.PATCH('/api/account', { body: { name } }));

/** Change the password; returns how many other sessions and tokens ended. */
export const changePassword = (old: string, fresh: string, keepTokens: boolean): Promise<PasswordChangedOut> =>
  answered(http.POST('/api/account/password', { body: { old, new: fresh, keep_tokens: keepTokens } }));

/** Where one is signed in. */
export const listSessions = (): Promise<readonly SignedInOut[]> => answered(http.GET('/api/account/sessions'));

/** Sign out in one place. */
export const endSession = (id: number): Promise<void> =>
  granted(http.DELETE('/api/account/sessions/{session_id}', { params: { path: { session_id: id } } }));

/** Sign out everywhere else; returns in how many places. */
export const endOtherSessions = async (): Promise<number> =>
  (await answered(http.DELETE('/api/account/sessions'))).ended;

/** One's own tokens. */
export const listTokens = (): Promise<readonly TokenOut[]> => answered(http.GET('/api/account/tokens'));

/** Make a token. */
export const createToken = (name: string, days: number, password: string): Promise<NewTokenOut> =>
  answered(http.POST('/api/account/tokens', { body: { name, days, password } }));

/** Revoke a token. */
export const revokeToken = (id: number): Promise<void> =>
  granted(http.DELETE('/api/account/tokens/{token_id}', { params: { path: { token_id: id } } }));

/** Request a mail with a link that resets the password. */
export const askReset = (email: string): Promise<void> =>
  granted(http.POST('/api/links/reset/mail', { body: { email } }));

/** Reset a password. */
export const resetPassword = (key: string, password: string): Promise<void> =>
  granted(http.POST('/api/links/reset', { body: { key, password } }));

/** What an invitation is for. */
export const lookAtInvitation = (key: string): Promise<InvitedOut> =>
  answered(http.POST('/api/links/invitation', { body: { key } }));

/** Make the account that an invitation is for. */
export const acceptInvitation = async (
  key: string,
  account: { readonly username: string; readonly name: string; readonly password: string },
): Promise<SessionOut> =>
  remember(await answered(http.POST('/api/links/invitation/accept', { body: { key, ...account } })));

/** People, by name. */
export const listPeople = (q: string, offset: number, limit: number): Promise<PeoplePageOut> =>
  answered(http.GET('/api/people', { params: { query: { q, offset, limit } } }));

/** Change a user's role, or close or open their account. */
export const changePerson = (id: number, change: PersonIn): Promise<PersonOut> =>
  answered(http.PATCH('/api/people/{person_id}', { params: { path: { person_id: id } }, body: change }));

/** End all sessions of a user. */
export const signOutPerson = async (id: number): Promise<number> =>
  (await answered(http.DELETE('/api/people/{person_id}/sessions', { params: { path: { person_id: id } } }))).ended;

/** Revoke all tokens of a user. */
export const revokeTokensOf = async (id: number): Promise<number> =>
  (await answered(http.DELETE('/api/people/{person_id}/tokens', { params: { path: { person_id: id } } }))).ended;

/** Invitations that are not accepted. */
export const listInvitations = (): Promise<readonly InvitationOut[]> => answered(http.GET('/api/invitations'));

/** Invite a user. */
export const invite = (email: string, role: Role): Promise<InvitationOut> =>
  answered(http.POST('/api/invitations', { body: { email, role } }));

/** Take an invitation back. */
export const revokeInvitation = (id: number): Promise<void> =>
  granted(http.DELETE('/api/invitations/{invitation_id}', { params: { path: { invitation_id: id } } }));

/** What administrators did, from before an entry on. */
export const listAudit = (before: number | null, limit: number): Promise<readonly AuditEntryOut[]> =>
  answered(http.GET('/api/audit', { params: { query: before === null ? { limit } : { before, limit } } }));
