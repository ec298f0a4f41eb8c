/** Requests about error cases: the queue, a case, what reviewers say, and the filters that they share. */
import type { components, operations } from '../schema';
import { answered, http } from '../client';

type Schemas = components['schemas'];
export type ReviewHomeOut = Schemas['ReviewHomeOut'];
export type ReviewSourceOut = Schemas['ReviewSourceOut'];
export type ReviewViewOut = Schemas['ReviewViewOut'];
export type ReviewerOut = Schemas['ReviewerOut'];
export type CasePageOut = Schemas['CasePageOut'];
export type CaseRowOut = Schemas['CaseRowOut'];
export type FacetOut = Schemas['FacetOut'];
export type CaseOut = Schemas['CaseOut'];
export type ProposedOut = Schemas['ProposedOut'];
export type WantedOut = Schemas['WantedOut'];
export type ReviewEntryOut = Schemas['ReviewEntryOut'];
export type LaidOverOut = Schemas['LaidOverOut'];
export type ReviewAgreementOut = Schemas['ReviewAgreementOut'];
export type AnnotationChoiceOut = Schemas['AnnotationChoiceOut'];
export type SaidOut = Schemas['SaidOut'];
export type Verdict = Schemas['VerdictIn'];
/** Which cases are wanted, and in which order. */
export type CaseQuery = NonNullable<operations['case_get']['parameters']['query']>;

const of = (source: string) => ({ path: { of: source } });
const at = (source: string, key: string) => ({ path: { of: source, key } });

/** What there is to review. */
export const getReviewHome = (): Promise<ReviewHomeOut> => answered(http.GET('/api/review'));

/** Everybody who reviews. */
export const listReviewers = (): Promise<readonly ReviewerOut[]> => answered(http.GET('/api/review/reviewers'));

/** Keep a filter for everybody who reviews. */
export const keepReviewView = (name: string, query: string): Promise<ReviewViewOut> =>
  answered(http.POST('/api/review/views', { body: { name, query } }));

/** Remove a kept filter. */
export const removeReviewView = (id: string): Promise<ReviewHomeOut> =>
  answered(http.POST('/api/review/views/{view_id}/remove', { params: { path: { view_id: id } } }));

/** Some of the cases that meet filters. */
export const listCases = (
  source: string,
  query: CaseQuery & { readonly offset: number; readonly limit: number },
  signal: AbortSignal,
): Promise<CasePageOut> => answered(http.GET('/api/review/{of}/cases', { params: { ...of(source), query }, signal }));

/** A case, and its neighbours among those that meet filters. */
export const getCase = (source: string, key: string, query: CaseQuery, signal: AbortSignal): Promise<CaseOut> =>
  answered(http.GET('/api/review/{of}/cases/{key}', { params: { ...at(source, key), query }, signal }));

/** Say something of a case; what it returns takes it back. */
export const sayOfCase = async (source: string, key: string, verdict: Partial<Verdict>): Promise<string> =>
  (
    await answered(
      http.POST('/api/review/{of}/cases/{key}/verdict', { params: at(source, key), body: { cause: '', ...verdict } }),
    )
  ).together;

/** Give several cases the same verdict; returns the id for undoing it, and how many cases changed. */
export const sayOfCases = (source: string, keys: readonly string[], verdict: Partial<Verdict>): Promise<SaidOut> =>
  answered(
    http.POST('/api/review/{of}/verdicts', { params: of(source), body: { cause: '', ...verdict, keys: [...keys] } }),
  );

/** Undo a verdict on several cases; returns how many cases changed. */
export const undoVerdicts = async (together: string): Promise<number> =>
  (await answered(http.POST('/api/review/undo/{together}', { params: { path: { together } } }))).cases;

/** Claim a case; returns the name of the other reviewer who has it, or "". */
export const holdCase = async (source: string, key: string): Promise<string> =>
  (await answered(http.POST('/api/review/{of}/cases/{key}/hold', { params: at(source, key) }))).by;

/** Say that one has closed a case. */
export const releaseCase = async (source: string, key: string): Promise<void> => {
  await answered(http.POST('/api/review/{of}/cases/{key}/release', { params: at(source, key) }));
};

/** Gold and prediction as one structure. */
export const getLaidOver = (source: string, key: string, signal: AbortSignal): Promise<LaidOverOut> =>
  // The client's types take a pair for a list of any length.
  answered(
    http.GET('/api/review/{of}/cases/{key}/laid-over', { params: at(source, key), signal }),
  ) as Promise<LaidOverOut>;

/** The projects that a case can be labelled in. */
export const listAnnotationChoices = (source: string, key: string): Promise<readonly AnnotationChoiceOut[]> =>
  answered(http.GET('/api/review/{of}/cases/{key}/annotation', { params: at(source, key) }));

/** Send a case to annotation, in a project or in a new one; returns the task. */
export const sendToAnnotation = async (source: string, key: string, project: string | null): Promise<number> =>
  (await answered(http.POST('/api/review/{of}/cases/{key}/annotation', { params: at(source, key), body: { project } })))
    .task;

/** How far reviewers agree with what is proposed. */
export const getReviewAgreement = (source: string): Promise<ReviewAgreementOut> =>
  answered(http.GET('/api/review/{of}/agreement', { params: of(source) }));
