/** Requests by which evaluations are found again, named, deleted and made again. */
import type { components, operations } from '../schema';
import { answered, granted, http } from '../client';
import type { EvaluationDetailOut, EvaluationPageOut } from '../types';

type Schemas = components['schemas'];
export type EvaluationChangeIn = Schemas['EvaluationChangeIn'];
export type ManifestOut = Schemas['ManifestOut'];
export type PredictionsLookOut = Schemas['PredictionsLookOut'];
export type RemovalOut = Schemas['RemovalOut'];
type ListQuery = NonNullable<operations['evaluation_list']['parameters']['query']>;

const of = (id: string) => ({ params: { path: { evaluation_id: id } } });

/** The evaluations that meet a filter, newest first. */
export const findEvaluations = (query: ListQuery, signal: AbortSignal): Promise<EvaluationPageOut> =>
  answered(http.GET('/api/evaluations', { params: { query }, signal }));

/** Give an evaluation another note or group, or a star. */
export const changeEvaluation = (id: string, body: EvaluationChangeIn): Promise<EvaluationDetailOut> =>
  answered(http.PATCH('/api/evaluations/{evaluation_id}', { ...of(id), body }));

/** What a sent file of another system predicts first, before it is judged. */
export const lookAtPredictions = (upload: string, signal: AbortSignal): Promise<PredictionsLookOut> =>
  answered(http.GET('/api/evaluations/predictions/{upload_id}', { params: { path: { upload_id: upload } }, signal }));

/** What deleting an evaluation takes with it, and why it cannot be deleted. */
export const getRemoval = (id: string): Promise<RemovalOut> =>
  answered(http.GET('/api/evaluations/{evaluation_id}/removal', of(id)));

/** Delete an evaluation with its outcomes. */
export const removeEvaluation = (id: string): Promise<void> =>
  granted(http.DELETE('/api/evaluations/{evaluation_id}', of(id)));

/** Where the manifest of an evaluation is read. */
export const manifestAddress = (id: string): string => `/api/evaluations/${id}/manifest`;

/** What an evaluation was made with. */
export const getManifest = (id: string): Promise<ManifestOut> =>
  answered(http.GET('/api/evaluations/{evaluation_id}/manifest', of(id)));
