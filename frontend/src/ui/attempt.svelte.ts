/** Doing something that the site may refuse, one thing at a time: whether it goes on, and what was refused. */
import { RequestFault } from '../api/client';

export class Work {
  busy = $state(false);
  fault = $state<string | null>(null);
  /** What was done, for people to know that it was. */
  done = $state<string | null>(null);

  /** Do it; where it returns a sentence, that is told. Tells whether it was granted. */
  async attempt(action: () => Promise<string | null>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.fault = this.done = null;
    try {
      this.done = await action();
      return true;
    } catch (reason) {
      if (!(reason instanceof RequestFault)) throw reason;
      this.fault = reason.message;
      return false;
    } finally {
      this.busy = false;
    }
  }
}
