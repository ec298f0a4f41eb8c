/** Requests about questions that are asked in several ways at once. */
import { answered, http } from '../client';
import type { components } from '../schema';

type Schemas = components['schemas'];
export type SideBySideIn = Schemas['SideBySideIn'];
export type SideBySideOut = Schemas['SideBySideOut'];
export type WayIn = Schemas['WayIn'];
export type PartingOut = Schemas['PartingOut'];

/** Ask a question in several ways at once. */
export const askSideBySide = (wanted: SideBySideIn): Promise<SideBySideOut> =>
  answered(http.POST('/api/side-by-side', { body: wanted }));

/** What was asked side by side. */
export const getSideBySide = (id: string): Promise<SideBySideOut> =>
  answered(http.GET('/api/side-by-side/{side_by_side_id}', { params: { path: { side_by_side_id: id } } }));

/** Stop those of its runs that are at work. */
export const cancelSideBySide = (id: string): Promise<SideBySideOut> =>
  answered(http.POST('/api/side-by-side/{side_by_side_id}/cancel', { params: { path: { side_by_side_id: id } } }));
