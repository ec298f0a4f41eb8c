/** Requests about what verdicts come to as corrections of the benchmark. */
import type { components } from '../schema';
import type { OverlayOut } from '../evaluations/overlays';
import { answered, http } from '../client';

export type ReviewCorrectionsOut = components['schemas']['ReviewCorrectionsOut'];
export type CorrectedCaseOut = components['schemas']['CorrectedCaseOut'];

const of = (source: string) => ({ path: { of: source } });

/** How many cases of an evaluation say that the benchmark is wrong, and what that comes to. */
export const getReviewCorrections = (source: string): Promise<ReviewCorrectionsOut> =>
  answered(http.GET('/api/review/{of}/corrections', { params: of(source) }));

/** Keep that for the reports of evaluations; the same is kept once. */
export const keepReviewCorrections = (source: string): Promise<OverlayOut> =>
  answered(http.POST('/api/review/{of}/corrections', { params: of(source) }));

/** Where the same is read as a signed file. */
export const reviewCorrectionsFile = (source: string): string => `/api/review/${source}/corrections/file`;
