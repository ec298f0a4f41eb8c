/** What a question is about: an entity by its id and name. */
export interface Topic {
  readonly id: string;
  readonly name: string;
  /** What tells it from others of the same name. */
  readonly hint: string;
}
