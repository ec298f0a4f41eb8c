/** Requests about labelling: projects, tasks and drafts. */
import type { components } from '../schema';
import { answered, granted, http } from '../client';

type Schemas = components['schemas'];
export type HomeOut = Schemas['HomeOut'];
export type ProjectOut = Schemas['ProjectOut'];
export type ProjectPageOut = Schemas['ProjectPageOut'];
export type ProjectIn = Schemas['ProjectIn'];
export type ProjectPatchIn = Schemas['ProjectPatchIn'];
export type GuidelineOut = Schemas['GuidelineOut'];
export type FiguresOut = Schemas['LabelFiguresOut'];
export type PersonFiguresOut = Schemas['PersonFiguresOut'];
export type MeasuredOut = Schemas['MeasuredOut'];
export type RoundOut = Schemas['RoundOut'];
export type QualificationIn = Schemas['QualificationIn'];
/** What a project asks for, beside the labels, to know how good they are. */
export type Quality = Required<Pick<ProjectIn, 'qualification' | 'known_percent'>>;
export type QualificationOut = Schemas['QualificationOut'];
export type ExpectedOut = Schemas['ExpectedOut'];
export type MemberIn = Schemas['MemberIn'];
export type MemberPatchIn = Schemas['MemberPatchIn'];
export type MemberOut = Schemas['MemberOut'];
export type TaskOut = Schemas['TaskOut'];
export type TaskRowOut = Schemas['TaskRowOut'];
export type TaskPageOut = Schemas['TaskPageOut'];
export type OwnTaskPageOut = Schemas['OwnTaskPageOut'];
export type OwnState = OwnTaskPageOut['tasks'][number]['state'];
export type SentBackOut = Schemas['SentBackOut'];
export type TaskLabelsOut = Schemas['TaskLabelsOut'];
export type WorkOut = Schemas['WorkOut'];
export type LedToOut = Schemas['LedToOut'];
export type MovesIn = Schemas['MovesIn'];
export type MovedOut = Schemas['MovedOut'];
export type NextOut = Schemas['NextOut'];
export type CheckOut = Schemas['CheckOut'];
export type WaysOut = Schemas['WaysOut'];
export type WayOut = Schemas['WayOut'];
export type SuggestionsOut = Schemas['SuggestionsOut'];
export type AskedOut = Schemas['AskedOut'];

const project = (id: string) => ({ path: { project_id: id } });
const task = (id: number) => ({ params: { path: { task_id: id } } });

/** The start page of an annotator. */
export const getHome = (): Promise<HomeOut> => answered(http.GET('/api/annotation/home'));

/** Some of the projects, newest first. */
export const listProjects = (query: {
  readonly search: string;
  readonly archived: boolean;
  readonly offset: number;
  readonly limit: number;
}): Promise<ProjectPageOut> => answered(http.GET('/api/annotation/projects', { params: { query } }));

/** Make a project. */
export const createProject = (wanted: ProjectIn): Promise<ProjectOut> =>
  answered(http.POST('/api/annotation/projects', { body: wanted }));

/** A project. */
export const getProject = (id: string): Promise<ProjectOut> =>
  answered(http.GET('/api/annotation/projects/{project_id}', { params: project(id) }));

/** Change a project. */
export const changeProject = (id: string, wanted: ProjectPatchIn): Promise<ProjectOut> =>
  answered(http.PATCH('/api/annotation/projects/{project_id}', { params: project(id), body: wanted }));

/** Stop the model that decides what is suggested. */
export const cancelSuggestions = (id: string): Promise<ProjectOut> =>
  answered(http.POST('/api/annotation/projects/{project_id}/suggestions/cancel', { params: project(id) }));

/** Let that model go on. */
export const resumeSuggestions = (id: string): Promise<ProjectOut> =>
  answered(http.POST('/api/annotation/projects/{project_id}/suggestions/resume', { params: project(id) }));

/** How many of the questions that people asked may be labelled, by graph. */
export const getAsked = (): Promise<AskedOut> => answered(http.GET('/api/annotation/asked'));

/** Make a dataset of those that were asked of a graph; its id. */
export const snapshotAsked = async (graph: string): Promise<string> =>
  (await answered(http.POST('/api/annotation/asked', { body: { graph } }))).dataset;

/** All versions of a project's guideline, the newest first. */
export const listGuidelines = async (id: string): Promise<readonly GuidelineOut[]> =>
  (await answered(http.GET('/api/annotation/projects/{project_id}/guidelines', { params: project(id) }))).guidelines;

/** Write a new version of a guideline; all versions, the newest first. */
export const writeGuideline = async (
  id: string,
  text: string,
  changed: string,
  because: number | null,
): Promise<readonly GuidelineOut[]> =>
  (
    await answered(
      http.POST('/api/annotation/projects/{project_id}/guidelines', {
        params: project(id),
        body: { text, changed, because },
      }),
    )
  ).guidelines;

/** How far everybody in a project is. */
export const getProgress = async (id: string): Promise<readonly PersonFiguresOut[]> =>
  (await answered(http.GET('/api/annotation/projects/{project_id}/progress', { params: project(id) }))).people;

/** Add a member to a project. */
export const addMember = (id: string, wanted: MemberIn): Promise<MemberOut> =>
  answered(http.POST('/api/annotation/projects/{project_id}/members', { params: project(id), body: wanted }));

const member = (id: string, person: number) => ({ path: { project_id: id, person_id: person } });

/** Change what a member is in a project, or where they stand with its qualification round. */
export const changeMember = (id: string, person: number, wanted: MemberPatchIn): Promise<MemberOut> =>
  answered(
    http.PATCH('/api/annotation/projects/{project_id}/members/{person_id}', {
      params: member(id, person),
      body: wanted,
    }),
  );

/** Remove a member from a project. */
export const removeMember = (id: string, person: number): Promise<void> =>
  granted(http.DELETE('/api/annotation/projects/{project_id}/members/{person_id}', { params: member(id, person) }));

/** The state of a qualification round, and the expected labels once it has ended. */
export const getQualification = (id: string): Promise<QualificationOut> =>
  answered(http.GET('/api/annotation/projects/{project_id}/qualification', { params: project(id) }));

/** Some of a project's tasks. */
export const listTasks = (
  id: string,
  query: { readonly search: string; readonly offset: number; readonly limit: number },
  signal: AbortSignal,
): Promise<TaskPageOut> =>
  answered(http.GET('/api/annotation/projects/{project_id}/tasks', { params: { ...project(id), query }, signal }));

/** The viewer's tasks of a project, newest first. */
export const listOwnTasks = (
  id: string,
  query: { readonly state?: OwnState; readonly offset: number; readonly limit: number },
  signal: AbortSignal,
): Promise<OwnTaskPageOut> =>
  answered(http.GET('/api/annotation/projects/{project_id}/own-tasks', { params: { ...project(id), query }, signal }));

/** The labels of a task that were handed in. */
export const taskLabels = (id: string, task: number): Promise<TaskLabelsOut> =>
  answered(
    http.GET('/api/annotation/projects/{project_id}/tasks/{task_id}/labels', {
      params: { path: { project_id: id, task_id: task } },
    }),
  );

/** Give a label back to who made it, with what is to be changed; the labels of the task after that. */
export const sendBack = (
  id: string,
  taskId: number,
  label: number,
  comment: string,
  showsOwn: boolean,
): Promise<TaskLabelsOut> =>
  answered(
    http.POST('/api/annotation/projects/{project_id}/tasks/{task_id}/labels/{label_id}/send-back', {
      params: { path: { project_id: id, task_id: taskId, label_id: label } },
      body: { comment, shows_own: showsOwn },
    }),
  ) as Promise<TaskLabelsOut>;

/** Reply to the reviewer who sent a label back. */
export const writeReply = (id: number, reply: string): Promise<SentBackOut> =>
  answered(http.POST('/api/annotation/tasks/{task_id}/reply', { ...task(id), body: { reply } }));

/** The viewer's next task of a project. */
export const nextTask = (id: string): Promise<NextOut> =>
  answered(http.POST('/api/annotation/projects/{project_id}/next', { params: project(id) }));

/** A task with one's draft. */
export const getTask = (id: number): Promise<TaskOut> =>
  // The client's types take a pair for a list of any length.
  answered(http.GET('/api/annotation/tasks/{task_id}', task(id))) as Promise<TaskOut>;

/** Append moves to the log of one's draft. */
export const sendMoves = (id: number, moves: MovesIn): Promise<MovedOut> =>
  answered(http.POST('/api/annotation/tasks/{task_id}/moves', { ...task(id), body: moves })) as Promise<MovedOut>;

/** Report that the annotator is still at a task, and the active seconds since the last report. */
export const reportPresence = (id: number, seconds: number): Promise<WorkOut> =>
  answered(http.POST('/api/annotation/tasks/{task_id}/present', { ...task(id), body: { seconds } }));

/** Why a label cannot be handed in as it stands. */
export const checkTask = (id: number): Promise<CheckOut> =>
  answered(http.GET('/api/annotation/tasks/{task_id}/check', task(id)));

/** The derivations that lead from a topic to marked answers, as far as the timeout in seconds allows. */
export const waysTo = (
  id: number,
  topic: string | null,
  marked: readonly string[],
  seconds: number,
): Promise<WaysOut> =>
  answered(
    http.POST('/api/annotation/tasks/{task_id}/ways', { ...task(id), body: { topic, marked: [...marked], seconds } }),
  );

/** Hand a label in. */
export const submitTask = (id: number): Promise<WorkOut> =>
  answered(http.POST('/api/annotation/tasks/{task_id}/submit', task(id)));

/** Leave a task to others. */
export const skipTask = (id: number): Promise<WorkOut> =>
  answered(http.POST('/api/annotation/tasks/{task_id}/skip', task(id)));

/** Take a task up again. */
export const reopenTask = (id: number): Promise<WorkOut> =>
  answered(http.POST('/api/annotation/tasks/{task_id}/reopen', task(id)));
