/** Requests about a graph itself: its things, their facts, ways between them, its schema, and drawings that are kept. */
import type { components } from './schema';
import type { EntityDetailOut } from './types';
import { answered, granted, http } from './client';

type Schemas = components['schemas'];
export type ExploredFact = Schemas['ExploredFact'];
export type ExploredPageOut = Schemas['ExploredPageOut'];
export type CommonOut = Schemas['CommonOut'];
export type PathsOut = Schemas['PathsOut'];
export type BetweenOut = Schemas['BetweenOut'];
export type OverviewOut = Schemas['OverviewOut'];
export type SchemaOut = Schemas['SchemaOut'];
export type ExplorationOut = Schemas['ExplorationOut'];
/** With what was drawn, as a text. */
export type ExplorationContentOut = Schemas['ExplorationContentOut'];
export type ExplorationPageOut = Schemas['ExplorationPageOut'];
export type ExplorationIn = Schemas['ExplorationIn'];
export type ExplorationChangeIn = Schemas['ExplorationChangeIn'];
export type Readers = ExplorationOut['readers'];

const of = (graph: string) => ({ graph });

/** What is known of a thing: its names and kinds, and its facts by relation. */
export const getEntity = (graph: string, id: string): Promise<EntityDetailOut> =>
  answered(http.GET('/api/explore/{graph}/entity', { params: { path: of(graph), query: { id } } }));

/** Some of the facts of a thing along a relation. */
export const getFactsOf = (
  graph: string,
  id: string,
  relation: string,
  limit: number,
  cursor: string | null,
): Promise<ExploredPageOut> =>
  answered(
    http.GET('/api/explore/{graph}/facts', {
      params: { path: of(graph), query: { id, relation, limit, ...(cursor === null ? {} : { cursor }) } },
    }),
  );

/** What two things are both joined to. */
export const getCommon = (graph: string, one: string, other: string): Promise<CommonOut> =>
  answered(http.GET('/api/explore/{graph}/common', { params: { path: of(graph), query: { one, other } } }));

/** The shortest ways from one thing to another. */
export const getPaths = (graph: string, source: string, target: string): Promise<PathsOut> =>
  answered(http.GET('/api/explore/{graph}/paths', { params: { path: of(graph), query: { source, target } } }));

/** The facts among things, and between them and others. */
export const getBetween = (graph: string, ids: readonly string[], others: readonly string[]): Promise<BetweenOut> =>
  answered(
    http.POST('/api/explore/{graph}/between', {
      params: { path: of(graph) },
      body: { ids: [...ids], others: others.length > 0 ? [...others] : null },
    }),
  );

/** What a graph is, and what it holds most of. */
export const getOverview = (graph: string): Promise<OverviewOut> =>
  answered(http.GET('/api/explore/{graph}/overview', { params: { path: of(graph) } }));

/** The kinds and relations of a graph, the commonest first. */
export const getSchema = (graph: string, limit: number): Promise<SchemaOut> =>
  answered(http.GET('/api/explore/{graph}/schema', { params: { path: of(graph), query: { limit } } }));

/** Some facts of a relation, whatever they are about. */
export const getFactsBy = (graph: string, id: string, limit: number, cursor: string | null): Promise<ExploredPageOut> =>
  answered(
    http.GET('/api/explore/{graph}/relation', {
      params: { path: of(graph), query: { id, limit, ...(cursor === null ? {} : { cursor }) } },
    }),
  );

/** Questions that may be asked about a thing. */
export const getQuestionsAbout = (graph: string, id: string): Promise<readonly string[]> =>
  answered(http.GET('/api/explore/{graph}/questions', { params: { path: of(graph), query: { id } } }));

/** Drawings that are kept: one's own, and those that others share. */
export const listExplorations = (offset: number, limit: number): Promise<ExplorationPageOut> =>
  answered(http.GET('/api/explorations', { params: { query: { offset, limit } } }));

/** A drawing that is kept. */
export const getExploration = (id: string): Promise<ExplorationContentOut> =>
  answered(http.GET('/api/explorations/{exploration_id}', { params: { path: { exploration_id: id } } }));

/** Keep a drawing. */
export const createExploration = (wanted: ExplorationIn): Promise<ExplorationOut> =>
  answered(http.POST('/api/explorations', { body: wanted }));

/** Keep a drawing in the place of what was kept before. */
export const updateExploration = (id: string, change: ExplorationChangeIn): Promise<ExplorationOut> =>
  answered(http.PUT('/api/explorations/{exploration_id}', { params: { path: { exploration_id: id } }, body: change }));

/** Delete a drawing that is kept. */
export const deleteExploration = (id: string): Promise<void> =>
  granted(http.DELETE('/api/explorations/{exploration_id}', { params: { path: { exploration_id: id } } }));
