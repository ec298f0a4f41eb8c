/** A bar beside an option: the part of its width that is filled for certain, and the part that is filled perhaps. */
export interface Bar {
  readonly sure: number;
  readonly perhaps: number;
}
