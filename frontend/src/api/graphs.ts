/** Requests about graphs as things that are loaded, replaced and removed. */
import { answered, granted, http } from './client';
import type {
  DependentOut,
  GraphLoadIn,
  GraphLoadOut,
  GraphLoadPageOut,
  PassedOverPageOut,
  TableMapping,
  TablesOut,
} from './types';

/** The last loads, and what may be loaded. */
export const listLoads = (): Promise<GraphLoadPageOut> => answered(http.GET('/api/graph-loads'));

/** Load a graph from files that were sent. */
export const createLoad = (wanted: GraphLoadIn): Promise<GraphLoadOut> =>
  answered(http.POST('/api/graph-loads', { body: wanted }));

/** The first rows of a file of tables that was sent, what its columns are taken for, and the facts they become. */
export const lookAtTables = (wanted: { file: string; mapping: TableMapping[] }): Promise<TablesOut> =>
  answered(http.POST('/api/graph-loads/tables', { body: wanted }));

/** Stop a load. */
export const cancelLoad = (id: string): Promise<GraphLoadOut> =>
  answered(http.POST('/api/graph-loads/{load_id}/cancel', { params: { path: { load_id: id } } }));

/** Some of the lines that a load passed over. */
export const listPassedOver = (id: string, offset: number, limit: number): Promise<PassedOverPageOut> =>
  answered(
    http.GET('/api/graph-loads/{load_id}/passed-over', { params: { path: { load_id: id }, query: { offset, limit } } }),
  );

/** Where all of them can be downloaded. */
export const passedOverAddress = (id: string): string => `/api/graph-loads/${id}/passed-over.csv`;

/** What rests on a graph. */
export const listDependents = (name: string): Promise<readonly DependentOut[]> =>
  answered(http.GET('/api/graphs/{name}/dependents', { params: { path: { name } } }));

/** Remove a graph. */
export const removeGraph = (name: string): Promise<void> =>
  granted(http.DELETE('/api/graphs/{name}', { params: { path: { name } } }));
