/** Requests about one's own questions. */
import { answered, granted, http } from '../client';
import type { ErasedOut, OwnQuestionPageOut } from '../types';

/** One's own questions, the last asked first, each with the last times it was asked. */
export const listOwnQuestions = (
  query: {
    readonly search: string;
    readonly starred: boolean;
    readonly offset: number;
    readonly limit: number;
  },
  signal?: AbortSignal,
): Promise<OwnQuestionPageOut> =>
  answered(http.GET('/api/questions', { params: { query }, ...(signal ? { signal } : {}) }));

/** Star the question of a run, or star it no more. */
export const starQuestion = (run: string, starred: boolean): Promise<void> =>
  granted(http.PATCH('/api/runs/{run_id}/question', { params: { path: { run_id: run } }, body: { starred } }));

/** Let annotators be given the question of a run, or take that back. */
export const letQuestionBeLabelled = (run: string, allowed: boolean): Promise<void> =>
  granted(
    http.PATCH('/api/runs/{run_id}/question', {
      params: { path: { run_id: run } },
      body: { may_be_labelled: allowed },
    }),
  );

/** Delete the question of a run, with all runs in which one asked it. */
export const eraseQuestion = (run: string): Promise<ErasedOut> =>
  answered(http.DELETE('/api/runs/{run_id}/question', { params: { path: { run_id: run } } }));
