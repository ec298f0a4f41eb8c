/** Under which corrections an evaluation is looked at, as the address keeps it beside the filter of the questions. */
const ID = /^[0-9a-f-]{36}$/;

/** The id of the corrections that an address names; null where it names none. */
export function readOverlay(search: string): string | null {
  const id = new URLSearchParams(search).get('overlay');
  return id !== null && ID.test(id) ? id : null;
}

/** A query string, with the corrections named in it. */
export function withOverlay(query: string, overlay: string | null): string {
  if (overlay === null) return query;
  return `${query}${query ? '&' : '?'}overlay=${overlay}`;
}
