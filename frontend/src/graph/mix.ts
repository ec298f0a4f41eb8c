/** What lies a share of the way from one number to another. */
export function mix(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}
