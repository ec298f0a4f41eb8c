/** Requests that wait until the keys rest, as one types. */
import { untrack } from 'svelte';

/**
 * Makes a request after a delay in milliseconds, unless what is returned is called before: an effect's clean-up.
 *
 * A pause that depends on what is shown is given as a function: what it reads is no reason to ask again.
 */
export function afterPause(
  milliseconds: number | (() => number),
  request: (signal: AbortSignal) => void | Promise<void>,
): () => void {
  const stop = new AbortController();
  const pause = typeof milliseconds === 'number' ? milliseconds : untrack(milliseconds);
  const timer = setTimeout(() => void request(stop.signal), pause);
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}
