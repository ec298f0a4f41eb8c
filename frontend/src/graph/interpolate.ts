/** The number at a share of the distance between two numbers. */
export function interpolate(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}
