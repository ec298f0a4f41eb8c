/** Requests about how far people agree who labelled the same questions. */
import type { components } from '../schema';
import { answered, http } from '../client';

type Schemas = components['schemas'];
export type AgreementOut = Schemas['AgreementOut'];
export type AgreementFiguresOut = Schemas['AgreementFiguresOut'];
export type AgreementFigure = Schemas['AgreementFigure'];
export type AgreementMeasures = Schemas['AgreementMeasures'];
export type AgreementWorkOut = Schemas['AgreementWorkOut'];
export type AgreementTaskOut = Schemas['AgreementTaskOut'];
export type AgreementTaskPageOut = Schemas['AgreementTaskPageOut'];
export type PeopleAgreement = Schemas['PeopleAgreement'];
export type SuggestionBias = Schemas['SuggestionBias'];
export type SuggestionContrast = Schemas['SuggestionContrast'];

const project = (id: string) => ({ path: { project_id: id } });

/** The agreement of a project, as far as it is known. */
export const getAgreement = (id: string): Promise<AgreementOut> =>
  answered(http.GET('/api/annotation/projects/{project_id}/agreement', { params: project(id) }));

/** Let a worker compare the labels of a large project, or go on. */
export const beginAgreement = (id: string): Promise<AgreementOut> =>
  answered(http.POST('/api/annotation/projects/{project_id}/agreement', { params: project(id) }));

/** Stop that worker. */
export const cancelAgreement = (id: string): Promise<AgreementOut> =>
  answered(http.POST('/api/annotation/projects/{project_id}/agreement/cancel', { params: project(id) }));

/** Some of the tasks with two labels or more, the worst agreement first. */
export const listAgreementTasks = (
  id: string,
  query: { readonly differing: boolean; readonly offset: number; readonly limit: number },
  signal: AbortSignal,
): Promise<AgreementTaskPageOut> =>
  answered(
    http.GET('/api/annotation/projects/{project_id}/agreement/tasks', { params: { ...project(id), query }, signal }),
  );
