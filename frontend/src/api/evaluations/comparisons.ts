/** Requests about several evaluations of the same questions, and about a part of one evaluation's questions. */
import { answered, http } from '../client';
import type { components } from '../schema';
import type { QuestionQuery } from '../types';

type Schemas = components['schemas'];
export type MeanDifferenceOut = Schemas['MeanDifferenceOut'];
export type DifferencesOut = Schemas['DifferencesOut'];
export type DecisionPairsOut = Schemas['DecisionPairsOut'];
export type PartOut = Schemas['PartOut'];
export type SinceOut = Schemas['SinceOut'];
export type NextToLabelOut = Schemas['NextToLabelOut'];
/** In which order an evaluation's questions are to be labelled. */
export type NextOrder = 'doubt' | 'disagreement' | 'asked';
export type HeadlineFigureOut = Schemas['HeadlineFigureOut'];
export type ReadsTablesOut = Schemas['ReadsTablesOut'];
export type RuleFigureOut = Schemas['RuleFigureOut'];
export type SliceOut = Schemas['SliceOut'];
export type StandingOut = Schemas['StandingOut'];
export type StandingsOut = Schemas['StandingsOut'];
export type SlicesOut = Schemas['SlicesOut'];

/** Several evaluations over the questions that all have judged, each of the others beside the first. */
export const listDifferences = (ids: readonly string[]): Promise<DifferencesOut> =>
  answered(http.GET('/api/evaluations/differences', { params: { query: { id: [...ids] } } }));

/** Several evaluations over the questions that all have judged: figures with intervals, and how far they agree. */
export const listStandings = (ids: readonly string[]): Promise<StandingsOut> =>
  answered(http.GET('/api/evaluations/standings', { params: { query: { id: [...ids] } } }));

/** How an evaluation differs from the last one before it that asked some of the same questions. */
export const getSince = (id: string, signal: AbortSignal): Promise<SinceOut> =>
  answered(http.GET('/api/evaluations/{evaluation_id}/since', { params: { path: { evaluation_id: id } }, signal }));

/** The questions of an evaluation in the order in which to label them. */
export const getNextToLabel = (
  id: string,
  query: { readonly by: NextOrder; readonly against: string | null; readonly limit: number },
): Promise<NextToLabelOut> =>
  answered(http.GET('/api/evaluations/{evaluation_id}/label-next', { params: { path: { evaluation_id: id }, query } }));

/** The figures of the questions of an evaluation that meet a filter. */
export const getPart = (
  id: string,
  query: Omit<QuestionQuery, 'offset' | 'limit'>,
  signal: AbortSignal,
): Promise<PartOut> =>
  answered(
    http.GET('/api/evaluations/{evaluation_id}/part', { params: { path: { evaluation_id: id }, query }, signal }),
  );

/** A question, decision by decision, in two evaluations. */
export const listDecisionPairs = (id: string, other: string, position: number): Promise<DecisionPairsOut> =>
  answered(
    http.GET('/api/evaluations/{evaluation_id}/against/{other_id}/decisions/{position}', {
      params: { path: { evaluation_id: id, other_id: other, position } },
    }),
  );
