/** Requests about datasets. */
import { answered, granted, http } from './client';
import type { DatasetIn, DatasetOut, DatasetPageOut, DatasetQuestionPageOut, MalformedPageOut } from './types';

/** Datasets, newest first, and the files and formats that can be loaded. */
export const listDatasets = (query: {
  readonly search: string;
  readonly archived: boolean;
  readonly offset: number;
  readonly limit: number;
}): Promise<DatasetPageOut> => answered(http.GET('/api/datasets', { params: { query } }));

/** Load a file. */
export const createDataset = (wanted: DatasetIn): Promise<DatasetOut> =>
  answered(http.POST('/api/datasets', { body: wanted }));

const path = (id: string) => ({ params: { path: { dataset_id: id } } });

/** A dataset. */
export const getDataset = (id: string): Promise<DatasetOut> =>
  answered(http.GET('/api/datasets/{dataset_id}', path(id)));

/** Stop a load. */
export const cancelDataset = (id: string): Promise<DatasetOut> =>
  answered(http.POST('/api/datasets/{dataset_id}/cancel', path(id)));

/** Go on with a load that was stopped or failed. */
export const resumeDataset = (id: string): Promise<DatasetOut> =>
  answered(http.POST('/api/datasets/{dataset_id}/resume', path(id)));

/** Read the file of a loaded dataset again, as the next version. */
export const rereadDataset = (id: string): Promise<DatasetOut> =>
  answered(http.POST('/api/datasets/{dataset_id}/reread', path(id)));

/** Offer a dataset no more. */
export const archiveDataset = (id: string): Promise<DatasetOut> =>
  answered(http.POST('/api/datasets/{dataset_id}/archive', path(id)));

/** Offer an archived dataset again. */
export const restoreDataset = (id: string): Promise<DatasetOut> =>
  answered(http.POST('/api/datasets/{dataset_id}/restore', path(id)));

/** Remove a dataset at which nothing points. */
export const removeDataset = (id: string): Promise<void> =>
  granted(http.DELETE('/api/datasets/{dataset_id}', path(id)));

/** The questions after a position that have the words. */
export const listDatasetQuestions = (
  id: string,
  query: { readonly search: string; readonly after: number; readonly limit: number },
  signal: AbortSignal,
): Promise<DatasetQuestionPageOut> =>
  answered(http.GET('/api/datasets/{dataset_id}/questions', { params: { path: { dataset_id: id }, query }, signal }));

/** The entries of a dataset's file that are no questions, after a position. */
export const listMalformed = (id: string, after: number, limit: number): Promise<MalformedPageOut> =>
  answered(
    http.GET('/api/datasets/{dataset_id}/malformed', {
      params: { path: { dataset_id: id }, query: { after, limit } },
    }),
  );
