/** What a question is about: an entity by its id and name. */
export interface Topic {
  readonly id: string;
  readonly name: string;
  /** What distinguishes it from others with the same name. */
  readonly hint: string;
}
