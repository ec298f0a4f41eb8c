/** Requests about whether answers are right. */
import { answered, granted, http } from '../client';
import type { FeedbackIn, FeedbackOut, FeedbackPageOut } from '../types';

/** What one says of a run's answer; null where nothing. */
export const getOwnFeedback = async (run: string): Promise<FeedbackOut | null> =>
  (await answered(http.GET('/api/runs/{run_id}/feedback', { params: { path: { run_id: run } } }))).feedback;

/** Say whether a run's answer is right. */
export const giveFeedback = async (run: string, body: FeedbackIn): Promise<FeedbackOut | null> =>
  (await answered(http.PUT('/api/runs/{run_id}/feedback', { params: { path: { run_id: run } }, body }))).feedback;

/** Take back what one said. */
export const withdrawFeedback = (run: string): Promise<void> =>
  granted(http.DELETE('/api/runs/{run_id}/feedback', { params: { path: { run_id: run } } }));

/** Which feedback is listed. */
export interface FeedbackFilter {
  readonly says: 'right' | 'wrong' | null;
  /** Only feedback that says what an answer should be. */
  readonly corrected: boolean;
  readonly search: string;
}

/** What people say of answers, the newest first. */
export const listFeedback = (
  { says, ...rest }: FeedbackFilter,
  page: { readonly offset: number; readonly limit: number },
  signal: AbortSignal,
): Promise<FeedbackPageOut> =>
  answered(http.GET('/api/feedback', { params: { query: { ...rest, ...page, ...(says ? { says } : {}) } }, signal }));
