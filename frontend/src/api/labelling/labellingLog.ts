/** Requests about who did what in a project of labelling. */
import type { components, operations } from '../schema';
import { answered, http } from '../client';

export type LogPageOut = components['schemas']['LogPageOut'];
export type LogEntryOut = components['schemas']['LogEntryOut'];
type Asked = NonNullable<operations['labelling_log']['parameters']['query']>;
/** What of a log is wanted: a kind of entry, or moves that change a field. */
export type LogWhat = NonNullable<Asked['what']>;
/** Which entries are wanted, whatever part of them. */
export type LogWanted = Pick<Asked, 'person' | 'search' | 'what' | 'since' | 'until'>;

/** Some entries, the newest first. */
export const listLog = (
  id: string,
  query: LogWanted & { readonly offset: number; readonly limit: number },
  signal: AbortSignal,
): Promise<LogPageOut> =>
  answered(
    http.GET('/api/annotation/projects/{project_id}/log', { params: { path: { project_id: id }, query }, signal }),
  );

/** Where all that is wanted is read as a table. */
export function logAddress(id: string, wanted: LogWanted, people: 'names' | 'pseudonyms'): string {
  const query = new URLSearchParams({ people });
  for (const [name, value] of Object.entries(wanted))
    if (value !== undefined && value !== null) query.set(name, `${value}`);
  return `/api/annotation/projects/${id}/log/file?${query.toString()}`;
}
