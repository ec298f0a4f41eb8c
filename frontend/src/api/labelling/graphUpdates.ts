/** Requests about taking a project to the version of its graph that is loaded now. */
import { answered, http } from '../client';
import type { components } from '../schema';

export type GraphUpdateOut = components['schemas']['GraphUpdateOut'];
export type GraphUpdateWorkOut = components['schemas']['GraphUpdateWorkOut'];

const project = (id: string) => ({ params: { path: { project_id: id } } });

/** Which version of its graph a project is at, and which one is loaded. */
export const getGraphUpdate = (id: string): Promise<GraphUpdateOut> =>
  answered(http.GET('/api/annotation/projects/{project_id}/graph', project(id)));

/** Let a worker take a project along, or go on. */
export const beginGraphUpdate = (id: string): Promise<GraphUpdateOut> =>
  answered(http.POST('/api/annotation/projects/{project_id}/graph', project(id)));

/** Stop that worker. */
export const cancelGraphUpdate = (id: string): Promise<GraphUpdateOut> =>
  answered(http.POST('/api/annotation/projects/{project_id}/graph/cancel', project(id)));
