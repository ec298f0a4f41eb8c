/** The names that the rest of the screen uses for the generated types. */
import type { components, operations, webhooks } from './schema';

type Schemas = components['schemas'];

export type AnswerRecord = Schemas['AnswerRecord'];
export type ComparisonOut = Schemas['ComparisonOut'];
export type ConstraintRecord = Schemas['ConstraintRecord'];
export type DatasetIn = Schemas['DatasetIn'];
export type DatasetOut = Schemas['DatasetOut'];
export type DatasetPageOut = Schemas['DatasetPageOut'];
export type DatasetQuestionPageOut = Schemas['QuestionPageOut'];
export type DecisionRecord = Schemas['DecisionRecord'];
export type EntityOut = Schemas['EntityOut'];
export type ErrorOut = Schemas['ErrorOut'];
export type EvaluatedQuestionOut = Schemas['EvaluatedQuestionOut'];
export type EvaluatedQuestionPageOut = Schemas['EvaluatedQuestionPageOut'];
export type EvaluationDetailOut = Schemas['EvaluationDetailOut'];
export type EvaluationIn = Schemas['EvaluationIn'];
export type EvaluationOut = Schemas['EvaluationOut'];
export type EvaluationPageOut = Schemas['EvaluationPageOut'];
export type ExampleOut = Schemas['ExampleOut'];
export type FactRecord = Schemas['FactRecord'];
export type GraphOut = Schemas['GraphOut'];
export type MalformedPageOut = Schemas['MalformedPageOut'];
export type OptionRecord = Schemas['OptionRecord'];
export type DependentOut = Schemas['DependentOut'];
export type GraphLoadIn = Schemas['GraphLoadIn'];
export type GraphLoadOut = Schemas['GraphLoadOut'];
export type GraphLoadPageOut = Schemas['GraphLoadPageOut'];
export type PassedOverPageOut = Schemas['PassedOverPageOut'];
export type UploadOut = Schemas['UploadOut'];
export type RelationRecord = Schemas['RelationRecord'];
export type RunEventOut = Schemas['RunEventOut'];
export type RunOut = Schemas['RunOut'];
export type RunQueriesOut = Schemas['RunQueriesOut'];
export type ScorerOut = Schemas['ScorerOut'];
export type SemanticNodeRecord = Schemas['SemanticNodeRecord'];
export type SessionOut = Schemas['SessionOut'];
export type Status = Schemas['Status'];
export type StageEvent = Schemas['StageEvent'];
export type TermRecord = Schemas['TermRecord'];

/** What the socket of a run sends: an event, or a heartbeat between two of them. */
export type SocketMessage = webhooks['run_socket']['post']['requestBody']['content']['application/json'];

export type Finished = Schemas['Finished'];
export type TermKind = TermRecord['kind'];
export type TrainingIn = Schemas['TrainingIn'];
export type TrainingOut = Schemas['TrainingOut'];
export type TrainingPageOut = Schemas['TrainingPageOut'];
export type QuestionQuery = NonNullable<operations['evaluated_question_list']['parameters']['query']>;
export type AccountOut = Schemas['AccountOut'];
export type AuditEntryOut = Schemas['AuditEntryOut'];
export type InvitationOut = Schemas['InvitationOut'];
export type InvitedOut = Schemas['InvitedOut'];
export type NewTokenOut = Schemas['NewTokenOut'];
export type PeoplePageOut = Schemas['PeoplePageOut'];
export type PersonIn = Schemas['PersonIn'];
export type PersonOut = Schemas['PersonOut'];
export type SignedInOut = Schemas['SignedInOut'];
export type TokenOut = Schemas['TokenOut'];
export type Role = PersonOut['role'];
