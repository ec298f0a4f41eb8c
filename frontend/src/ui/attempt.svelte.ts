/** Asking the site for something that it may refuse, one thing at a time: whether it goes on, and what was refused. */
import { RequestFault } from '../api/client';

export class Attempt {
  busy = $state(false);
  fault = $state<string | null>(null);
  /** What was done, for people to know that it was. */
  done = $state<string | null>(null);

  /** Do it, unless something is being done; where it returns a sentence, that is told. Tells whether it was granted. */
  async run(action: () => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.fault = this.done = null;
    try {
      const told = await action();
      this.done = typeof told === 'string' ? told : null;
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
