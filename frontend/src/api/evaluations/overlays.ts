/** Requests about corrections of a dataset, and about evaluations under them. */
import type { components } from '../schema';
import { answered, granted, http } from '../client';

type Schemas = components['schemas'];
export type OverlayOut = Schemas['OverlayOut'];
export type OverlayListOut = Schemas['OverlayListOut'];
export type OverlaidOut = Schemas['OverlaidOut'];
export type OverlaidQuestionOut = Schemas['OverlaidQuestionOut'];

const under = (evaluation: string, overlay: string) => ({
  path: { evaluation_id: evaluation, overlay_id: overlay },
});

/** The corrections that are kept of the dataset that an evaluation asks. */
export const listOverlays = (evaluation: string): Promise<OverlayListOut> =>
  answered(http.GET('/api/evaluations/{evaluation_id}/overlays', { params: { path: { evaluation_id: evaluation } } }));

/** Keep a signed file of corrections that was sent. */
export const keepOverlay = (evaluation: string, upload: string): Promise<OverlayOut> =>
  answered(
    http.POST('/api/evaluations/{evaluation_id}/overlays', {
      params: { path: { evaluation_id: evaluation } },
      body: { upload },
    }),
  );

/** Remove kept corrections. */
export const removeOverlay = (overlay: string): Promise<void> =>
  granted(http.DELETE('/api/overlays/{overlay_id}', { params: { path: { overlay_id: overlay } } }));

/** Where the signed file of kept corrections is read. */
export const overlayAddress = (overlay: string): string => `/api/overlays/${overlay}/file`;

/** An evaluation under corrections, as far as it is judged. */
export const getOverlaid = (evaluation: string, overlay: string): Promise<OverlaidOut> =>
  answered(http.GET('/api/evaluations/{evaluation_id}/overlays/{overlay_id}', { params: under(evaluation, overlay) }));

/** Let a worker judge an evaluation under corrections, unless that is done or under way. */
export const beginOverlaid = (evaluation: string, overlay: string): Promise<OverlaidOut> =>
  answered(http.POST('/api/evaluations/{evaluation_id}/overlays/{overlay_id}', { params: under(evaluation, overlay) }));

/** Which of the questions at some positions are corrected, and what that came to. */
export const listOverlaidQuestions = (
  evaluation: string,
  overlay: string,
  at: readonly number[],
  signal: AbortSignal,
): Promise<readonly OverlaidQuestionOut[]> =>
  answered(
    http.GET('/api/evaluations/{evaluation_id}/overlays/{overlay_id}/questions', {
      params: { ...under(evaluation, overlay), query: { at: [...at] } },
      signal,
    }),
  );

/** Keep the corrections of a project's labels for the evaluations of its dataset. */
export const keepProjectOverlay = (
  project: string,
  query: { readonly labels: string; readonly people: 'names' | 'pseudonyms' },
): Promise<OverlayOut> =>
  answered(
    http.POST('/api/annotation/projects/{project_id}/export/overlay', {
      params: { path: { project_id: project }, query },
    }),
  );
