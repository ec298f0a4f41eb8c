/** Requests to the site. Every fault becomes a `RequestFault` whose message says what to do. */
import createClient, { type Middleware } from 'openapi-fetch';

import type { paths } from './schema';
import type {
  ComparisonOut,
  EntityOut,
  ErrorOut,
  EvaluatedQuestionPageOut,
  EvaluationDetailOut,
  EvaluationIn,
  EvaluationOut,
  EvaluationPageOut,
  ExampleOut,
  GraphOut,
  PlacedQuestionOut,
  QuestionQuery,
  RecipeOut,
  RecognisedOut,
  RunEventOut,
  QuestionIn,
  RunOut,
  RunQueriesOut,
  ScorerOut,
  SessionOut,
  StrategyOut,
  TrainingIn,
  TrainingOut,
  TrainingPageOut,
} from './types';
import { shown } from '../core/words/shown';

/** A request that did not do what was asked; the message is for people. */
export class RequestFault extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
    /** Seconds to wait before the next try, where the site asks for that. */
    readonly wait = 0,
  ) {
    super(shown(message));
  }
}

let csrfToken = '';
/** The user name that this page is signed in as. */
let account: string | null = null;
/** Asks the person to sign in as this account again; returns whether they did. The shell replaces it. */
let signInAgain: (account: string) => Promise<boolean> = () => Promise.resolve(false);
/** The sign-in that is being waited for, by all requests that need it. */
let signingIn: Promise<boolean> | null = null;
let isDismissed = false;

/** How a person is asked to sign in again once their session has ended. */
export function onSessionEnded(ask: (account: string) => Promise<boolean>): void {
  signInAgain = ask;
}

/** Where the session itself is read, opened and closed: the user may differ from the one that the page shows. */
const SESSION = '/api/session';
/** What a request holds besides: sent again once the person has signed in again. */
const copies = new WeakMap<Request, Request>();

const identity: Middleware = {
  async onRequest({ request, schemaPath }) {
    if (request.method !== 'GET') request.headers.set('X-CSRFToken', csrfToken);
    if (schemaPath === SESSION) return undefined;
    if (account !== null) request.headers.set('X-Discern-Account', encodeURIComponent(account));
    if (request.headers.get('Content-Type') !== 'application/json') {
      copies.set(request, request.clone());
      return undefined;
    }
    // A cloned request would be sent as a stream.
    const body = await request.text();
    const sent = new Request(request, { body });
    copies.set(sent, new Request(request, { body }));
    return sent;
  },
  async onResponse({ request, response }) {
    const copy = copies.get(request);
    if (!copy || (response.status !== 401 && response.status !== 403)) return undefined;
    const body: unknown = await response.clone().json();
    const code = isError(body) ? body.code : '';
    if (code !== 'session_ended' && code !== 'csrf_failed') return undefined;
    // The session goes on where only its token is another, as after a sign-in in another tab.
    if (!(await isSignedInAgain()) && !(await signedInAgain(request.method))) return undefined;
    if (request.method !== 'GET') copy.headers.set('X-CSRFToken', csrfToken);
    return fetch(copy);
  },
};

/** Whether this page's account is signed in, in whichever tab that was done; takes over the token. */
export async function isSignedInAgain(): Promise<boolean> {
  const { csrf_token, user } = await answered(http.GET(SESSION));
  csrfToken = csrf_token;
  return (user?.username ?? null) === account;
}

async function signedInAgain(method: string): Promise<boolean> {
  // Who does not want to sign in is asked again only once they change something.
  if (account === null || (isDismissed && method === 'GET')) return false;
  signingIn ??= signInAgain(account).finally(() => (signingIn = null));
  isDismissed = !(await signingIn);
  return !isDismissed;
}

// `fetch` is looked up at each call, and addresses are relative to the page's own origin.
export const http = createClient<paths>({ credentials: 'same-origin' });
http.use(identity);

interface Reply<T> {
  readonly data?: T | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** What a request was answered with. */
export async function answered<T>(reply: Promise<Reply<T>>): Promise<T> {
  const { data, error, response } = await settled(reply);
  if (response.ok && data !== undefined) return data;
  throw refusal(error, response);
}

/** That a request was granted which is answered with nothing. */
export async function granted(reply: Promise<Reply<unknown>>): Promise<void> {
  const { error, response } = await settled(reply);
  if (!response.ok) throw refusal(error, response);
}

async function settled<T>(reply: Promise<Reply<T>>): Promise<Reply<T>> {
  try {
    return await reply;
  } catch {
    throw new RequestFault('unreachable', 'The server cannot be reached. Check your connection, then try again.', 0);
  }
}

function refusal(error: unknown, response: Response): RequestFault {
  const wait = Number(response.headers.get('Retry-After') ?? 0) || 0;
  if (isError(error)) return new RequestFault(error.code, error.message, response.status, wait);
  return new RequestFault(
    'unexpected',
    response.status >= 500
      ? 'The server failed to answer. Try again in a moment.'
      : `The server refused this request (${response.status}). Reload the page and try again.`,
    response.status,
    wait,
  );
}

function isError(body: unknown): body is ErrorOut {
  return typeof body === 'object' && body !== null && 'code' in body && 'message' in body;
}

/** Keep whom a session belongs to, and its CSRF token. */
export function remember(session: SessionOut): SessionOut {
  csrfToken = session.csrf_token;
  account = session.user?.username ?? null;
  return session;
}

/** Who asks, and what they may. Call it before anything that writes: it brings the CSRF token. */
export const getSession = async (): Promise<SessionOut> => remember(await answered(http.GET('/api/session')));

/** Sign in. */
export const signIn = async (username: string, password: string): Promise<SessionOut> =>
  remember(await answered(http.POST('/api/session', { body: { username, password } })));

/** Sign out. */
export const signOut = async (): Promise<SessionOut> => remember(await answered(http.DELETE('/api/session')));

/** The graphs that can be asked. */
export const listGraphs = (): Promise<readonly GraphOut[]> => answered(http.GET('/api/graphs'));

/** Entities of a graph by what was typed of their names. */
export const searchEntities = (graph: string, q: string, signal: AbortSignal): Promise<readonly EntityOut[]> =>
  answered(
    http.GET('/api/graphs/{name}/entities', { params: { path: { name: graph }, query: { q, limit: 8 } }, signal }),
  );

/** What a question that is being typed seems to name. */
export const recogniseQuestion = (graph: string, q: string, signal: AbortSignal): Promise<readonly RecognisedOut[]> =>
  answered(http.GET('/api/graphs/{name}/recognised', { params: { path: { name: graph }, query: { q } }, signal }));

/** The ways to answer questions, the usual one first. */
export const listStrategies = (): Promise<readonly StrategyOut[]> => answered(http.GET('/api/strategies'));

/** Questions to try on a graph. */
export const listExamples = (graph: string): Promise<readonly ExampleOut[]> =>
  answered(http.GET('/api/examples', { params: { query: { graph } } }));

/** Ask: the run that will answer. */
export const createRun = (asking: QuestionIn): Promise<RunOut> => answered(http.POST('/api/runs', { body: asking }));

/** The last runs of the viewer. */
export const listRuns = (limit: number): Promise<readonly RunOut[]> =>
  answered(http.GET('/api/runs', { params: { query: { mine: true, limit } } }));

/** A run. */
export const getRun = (id: string): Promise<RunOut> =>
  answered(http.GET('/api/runs/{run_id}', { params: { path: { run_id: id } } }));

/** The events of a run after one of them. */
export const getEvents = (id: string, after: number): Promise<readonly RunEventOut[]> =>
  // The client's types take a pair for a list of any length.
  answered(http.GET('/api/runs/{run_id}/events', { params: { path: { run_id: id }, query: { after } } })) as Promise<
    readonly RunEventOut[]
  >;

/** Some of the facts that a run found at a position, whether or not its events listed them. */
export const getFacts = (id: string, position: number, offset: number, limit: number) =>
  answered(
    http.GET('/api/runs/{run_id}/facts', { params: { path: { run_id: id }, query: { position, offset, limit } } }),
  );

/** Some of the answers of a run with their proofs, whether or not its last event listed them. */
export const getAnswers = (id: string, offset: number, limit: number) =>
  answered(http.GET('/api/runs/{run_id}/answers', { params: { path: { run_id: id }, query: { offset, limit } } }));

/** The way to a run's answers, as queries. */
export const getRunQueries = (id: string): Promise<RunQueriesOut> =>
  answered(http.GET('/api/runs/{run_id}/queries', { params: { path: { run_id: id } } }));

/** Stop a run. */
export const cancelRun = (id: string): Promise<RunOut> =>
  answered(http.POST('/api/runs/{run_id}/cancel', { params: { path: { run_id: id } } }));

/** Evaluations, newest first. */
export const listEvaluations = (offset: number, limit: number): Promise<EvaluationPageOut> =>
  answered(http.GET('/api/evaluations', { params: { query: { offset, limit } } }));

/** Start an evaluation. */
export const createEvaluation = (wanted: EvaluationIn): Promise<EvaluationOut> =>
  answered(http.POST('/api/evaluations', { body: wanted }));

/** An evaluation with its figures. */
export const getEvaluation = (id: string): Promise<EvaluationDetailOut> =>
  answered(http.GET('/api/evaluations/{evaluation_id}', { params: { path: { evaluation_id: id } } }));

/** Stop an evaluation. */
export const cancelEvaluation = (id: string): Promise<EvaluationDetailOut> =>
  answered(http.POST('/api/evaluations/{evaluation_id}/cancel', { params: { path: { evaluation_id: id } } }));

/** Go on with an evaluation that was stopped or failed. */
export const resumeEvaluation = (id: string): Promise<EvaluationDetailOut> =>
  answered(http.POST('/api/evaluations/{evaluation_id}/resume', { params: { path: { evaluation_id: id } } }));

/** The questions of an evaluation that meet a filter. */
export const listEvaluatedQuestions = (
  id: string,
  query: QuestionQuery,
  signal: AbortSignal,
): Promise<EvaluatedQuestionPageOut> =>
  answered(
    http.GET('/api/evaluations/{evaluation_id}/questions', {
      params: { path: { evaluation_id: id }, query },
      signal,
    }),
  );

/** A question of an evaluation, with its neighbours among those that meet a filter. */
export const getEvaluatedQuestion = (
  id: string,
  position: number,
  query: Omit<QuestionQuery, 'offset' | 'limit'>,
  signal?: AbortSignal,
): Promise<PlacedQuestionOut> =>
  answered(
    http.GET('/api/evaluations/{evaluation_id}/questions/{position}', {
      params: { path: { evaluation_id: id, position }, query },
      ...(signal ? { signal } : {}),
    }),
  );

/** The run that shows how a question of an evaluation was answered. */
export const openEvaluatedQuestion = (id: string, position: number): Promise<{ readonly run: string }> =>
  answered(
    http.POST('/api/evaluations/{evaluation_id}/questions/{position}/run', {
      params: { path: { evaluation_id: id, position } },
    }),
  );

/** Two evaluations side by side. */
export const compareEvaluations = (id: string, other: string): Promise<ComparisonOut> =>
  answered(
    http.GET('/api/evaluations/{evaluation_id}/against/{other_id}', {
      params: { path: { evaluation_id: id, other_id: other } },
    }),
  );

/** The scorers that may decide. */
export const listScorers = (): Promise<readonly ScorerOut[]> => answered(http.GET('/api/scorers'));

/** The last trainings, and what may be trained on. */
export const listTrainings = (): Promise<TrainingPageOut> => answered(http.GET('/api/scorers/trainings'));

/** Train a scorer. */
export const createTraining = (wanted: TrainingIn): Promise<TrainingOut> =>
  answered(http.POST('/api/scorers/trainings', { body: wanted }));

/** Keep a recipe's file for trainings of this site. */
export const sendRecipe = (wanted: { readonly name: string; readonly text: string }): Promise<RecipeOut[]> =>
  answered(http.POST('/api/scorers/recipes', { body: wanted }));

/** Remove a recipe that was sent. */
export const removeRecipe = (name: string): Promise<void> =>
  granted(http.DELETE('/api/scorers/recipes/{name}', { params: { path: { name } } }));

/** Stop a training. */
export const cancelTraining = (id: string): Promise<TrainingOut> =>
  answered(http.POST('/api/scorers/trainings/{training_id}/cancel', { params: { path: { training_id: id } } }));

/** Go on with a training that was stopped or failed. */
export const resumeTraining = (id: string): Promise<TrainingOut> =>
  answered(http.POST('/api/scorers/trainings/{training_id}/resume', { params: { path: { training_id: id } } }));
