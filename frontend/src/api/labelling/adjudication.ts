/** Requests about adjudication: which tasks are to be decided, and what is accepted. */
import type { LedToOut } from './annotation';
import { answered, http } from '../client';
import type { components } from '../schema';

type Schemas = components['schemas'];
export type AdjudicationOut = Schemas['AdjudicationOut'];
export type AdjudicationPageOut = Schemas['AdjudicationPageOut'];
export type AdjudicationRowOut = Schemas['AdjudicationRowOut'];
export type AcceptedOut = Schemas['AcceptedOut'];
export type SideOut = Schemas['SideOut'];
export type Stand = AdjudicationRowOut['stand'];
type DecisionsIn = Schemas['DecisionsIn'];

const task = (id: number) => ({ params: { path: { task_id: id } } });

/** Some of the tasks of a project with labels: the open ones first, of them the worst agreed first. */
export const listAdjudication = (
  id: string,
  query: { readonly stand?: Stand; readonly offset: number; readonly limit: number },
  signal: AbortSignal,
): Promise<AdjudicationPageOut> =>
  answered(
    http.GET('/api/annotation/projects/{project_id}/adjudication', {
      params: { path: { project_id: id }, query },
      signal,
    }),
  );

/** The labels of a task beside each other, and one's own draft of what is accepted. */
export const beginAdjudication = (id: number): Promise<AdjudicationOut> =>
  // The client's types take a pair for a list of any length.
  answered(http.POST('/api/annotation/tasks/{task_id}/adjudication', task(id))) as Promise<AdjudicationOut>;

/** What decisions lead to that are looked at. */
export const lookAtDecisions = (id: number, decisions: DecisionsIn): Promise<LedToOut> =>
  answered(
    http.POST('/api/annotation/tasks/{task_id}/adjudication/led-to', { ...task(id), body: decisions }),
  ) as Promise<LedToOut>;

/** Accept one's own draft, as far as one knows it and what was decided before. */
export const acceptLabel = (id: number, last: number, accepted: number, comment: string): Promise<AdjudicationOut> =>
  answered(
    http.POST('/api/annotation/tasks/{task_id}/adjudication/accept', {
      ...task(id),
      body: { last, accepted, comment },
    }),
  ) as Promise<AdjudicationOut>;

/** Withdraw what was accepted. */
export const withdrawLabel = (id: number, accepted: number, comment: string): Promise<AdjudicationOut> =>
  answered(
    http.POST('/api/annotation/tasks/{task_id}/adjudication/withdraw', { ...task(id), body: { accepted, comment } }),
  ) as Promise<AdjudicationOut>;

/** Make a dataset of the accepted labels of a project; its id. */
export const acceptedDataset = async (id: string): Promise<string> =>
  (
    await answered(
      http.POST('/api/annotation/projects/{project_id}/accepted/dataset', { params: { path: { project_id: id } } }),
    )
  ).dataset;
