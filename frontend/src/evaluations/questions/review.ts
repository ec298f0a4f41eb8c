/** The addresses of error cases, as the pages of reviews read them. */

/** The cases of an evaluation whose answers are not right; those where one relation was taken for another. */
export function reviewAddress(evaluation: string, { confused }: { readonly confused?: string } = {}): string {
  const query = new URLSearchParams([
    ['result', 'wrong'],
    ['result', 'partly right'],
    ...(confused === undefined ? [] : [['confused', confused]]),
  ]);
  return `/review/${evaluation}?${query.toString()}`;
}
