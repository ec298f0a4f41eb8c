/** Polling while something changes; a hidden page pauses. */
import { untrack } from 'svelte';

import { RequestFault } from './client';

/** The message of a page whose polling fails. */
export const LOST = 'The site cannot be reached. This page retries automatically.';

const PAUSE = 1500;
const LATER = 5000;

/**
 * Call `look` now and then until it returns that nothing will change; a look that fails is repeated later.
 *
 * An effect that polls does not depend on what `look` reads, since what it writes would start it again at once.
 */
export function poll(look: () => Promise<boolean>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  async function turn(): Promise<void> {
    let pause = PAUSE;
    if (document.visibilityState === 'visible') {
      try {
        if (!(await look())) return;
      } catch (fault) {
        pause = Math.max(LATER, fault instanceof RequestFault ? fault.wait * 1000 : 0);
      }
    }
    if (!stopped) timer = setTimeout(() => void turn(), pause);
  }

  untrack(() => void turn());
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
