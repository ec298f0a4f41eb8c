/** The runs that were asked for on this page since it was loaded: those are watched from their first decision. */
export const asked = new Set<string>();
