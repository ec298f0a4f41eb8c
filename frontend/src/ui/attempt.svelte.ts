/** An action of a user that the site may refuse, one at a time: whether it is running, and why it was refused. */
import { RequestFault } from '../api/client';

export class Attempt {
  busy = $state(false);
  fault = $state<string | null>(null);
  /** The refusal that `fault` is the message of; null where `fault` was not set by a request. */
  refusal = $state.raw<RequestFault | null>(null);
  /** What the action did, for the user to read. */
  done = $state<string | null>(null);

  /** Run the action, unless one is running; a sentence that it returns becomes `done`. Returns whether it succeeded. */
  async run(action: () => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.fault = this.done = this.refusal = null;
    try {
      const result = await action();
      this.done = typeof result === 'string' ? result : null;
      return true;
    } catch (reason) {
      if (!(reason instanceof RequestFault)) throw reason;
      this.refusal = reason;
      this.fault = reason.message;
      return false;
    } finally {
      this.busy = false;
    }
  }
}
