/** Requests about what may be decided otherwise in a run, and the runs in which something was. */
import { answered, http } from '../client';
import type { components } from '../schema';
import type { Stage } from '../stages';
import type { OptionRecord, RunOut } from '../types';

type Schemas = components['schemas'];

/** One change of a run. */
export type Change = Schemas['ChangedRunIn']['change'];
/** What takes the place of a decision. */
export type Choice = Schemas['ReplaceIn']['choice'];
export type Variant = Schemas['VariantOut'];
export type Difference = Schemas['DifferenceOut'];
export type PreviewOut = Schemas['PreviewOut'];

/** Go on from a run with one decision changed. */
export const changeRun = (id: string, change: Change): Promise<RunOut> =>
  answered(http.POST('/api/runs/{run_id}/variants', { params: { path: { run_id: id } }, body: { change } }));

/** The tree that a run belongs to, the oldest first. */
export const listVariants = (id: string): Promise<readonly Variant[]> =>
  answered(http.GET('/api/runs/{run_id}/variants', { params: { path: { run_id: id } } }));

/** The answers of a variant beside those of the original run. */
export const getDifference = (id: string): Promise<Difference> =>
  answered(http.GET('/api/runs/{run_id}/difference', { params: { path: { run_id: id } } }));

/** Every option of a decision; the number counts from 0 within its stage. */
export const listOptions = async (id: string, stage: Stage, number: number): Promise<readonly OptionRecord[]> =>
  (
    await answered(
      http.GET('/api/runs/{run_id}/options', { params: { path: { run_id: id }, query: { stage, number } } }),
    )
  ).options;

/** What a change would add and take out by itself. */
export const previewChange = (id: string, change: Change, signal: AbortSignal): Promise<PreviewOut> =>
  answered(http.POST('/api/runs/{run_id}/preview', { params: { path: { run_id: id } }, body: { change }, signal }));
