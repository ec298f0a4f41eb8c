/** Runs that were started on this page since it was loaded. They are shown from their first decision. */
export const askedRuns = new Set<string>();
