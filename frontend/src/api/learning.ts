/** Requests about pipelines from labels to a judged model, the pinned questions, and the default model. */
import { answered, http } from './client';
import type {
  PipelineDetailOut,
  PipelineIn,
  DefaultOut,
  EfficiencyPageOut,
  HeldOutIn,
  HeldOutOut,
  LearningPageOut,
  VerdictOut,
  WaysToTeachOut,
} from './types';

/** The last pipelines, what they are judged by, and the default model. */
export const getLearning = (): Promise<LearningPageOut> => answered(http.GET('/api/learning'));

/** How often each stage decides rightly against the share of the training data. */
export const getDataEfficiency = (): Promise<EfficiencyPageOut> => answered(http.GET('/api/scorers/data-efficiency'));

/** What a pipeline may be started with. */
export const getWays = (): Promise<WaysToTeachOut> => answered(http.GET('/api/learning/ways'));

/** Start a pipeline. */
export const createPipeline = (wanted: PipelineIn): Promise<PipelineDetailOut> =>
  answered(http.POST('/api/learning/chains', { body: wanted }));

/** A pipeline with all that is known of its parts. */
export const getPipeline = (id: string): Promise<PipelineDetailOut> =>
  answered(http.GET('/api/learning/chains/{chain_id}', { params: { path: { chain_id: id } } }));

/** Stop a pipeline and the work of its step. */
export const stopPipeline = (id: string): Promise<PipelineDetailOut> =>
  answered(http.POST('/api/learning/chains/{chain_id}/stop', { params: { path: { chain_id: id } } }));

/** Go on with a pipeline at its step. */
export const resumePipeline = (id: string): Promise<PipelineDetailOut> =>
  answered(http.POST('/api/learning/chains/{chain_id}/resume', { params: { path: { chain_id: id } } }));

/** Say that one looked at what became of a pipeline. */
export const reviewPipeline = (id: string, note: string): Promise<PipelineDetailOut> =>
  answered(http.POST('/api/learning/chains/{chain_id}/review', { params: { path: { chain_id: id } }, body: { note } }));

/** Pin the questions by which models are judged. */
export const pinHeldOut = (wanted: HeldOutIn): Promise<HeldOutOut> =>
  answered(http.POST('/api/learning/held-out', { body: wanted }));

/** Of every model, whether it may become the default. */
export const listVerdicts = (): Promise<VerdictOut[]> => answered(http.GET('/api/learning/default'));

/** Make a model the default. */
export const makeDefault = (scorer: string): Promise<DefaultOut> =>
  answered(http.POST('/api/learning/default', { body: { scorer } }));

/** Put back what was the default before. */
export const putBackDefault = (): Promise<DefaultOut> => answered(http.POST('/api/learning/default/back'));
