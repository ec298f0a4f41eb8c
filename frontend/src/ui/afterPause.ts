/** Requests that wait until the keys rest, as one types. */

/** Makes a request after so many milliseconds, unless what is returned is called before: an effect's clean-up. */
export function afterPause(milliseconds: number, request: (signal: AbortSignal) => Promise<void>): () => void {
  const stop = new AbortController();
  const timer = setTimeout(() => void request(stop.signal), milliseconds);
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}
