/** Data that a component loads from the site: the value, the fault, loading again. */
import { RequestFault } from '../../api/client';
import { poll } from '../../api/poll';
import { afterPause } from '../fields/afterPause';

/** Whether polling changes nothing: the request is refused, and not because there were too many. */
const isFinal = (status: number) => status >= 400 && status < 429;

interface Settings<T> {
  /** Keep polling while this holds for the value; a failed poll is repeated. Without it, each load is one request. */
  readonly polls?: (value: T) => boolean;
  /** Milliseconds to wait before a request, as while the user types; the first one never waits. */
  readonly pause?: number;
  /** Drop the value before each load, where an old one would be misleading. By default it stays until the next one. */
  readonly drops?: boolean;
}

/**
 * Loads a value when the component is created, and again whenever what `query` reads changes.
 *
 * A new load aborts the one before it, and an answer that arrives late is ignored. Create it while a component is set
 * up, or inside an effect root.
 */
export class Resource<T, Q = true> {
  /** The last answer; may be replaced by one that another request brought. */
  value = $state.raw<T | null>(null);
  /** Why the last load failed; null once one succeeds. */
  fault = $state.raw<RequestFault | null>(null);
  /** Whether a request is under way. */
  loading = $state(false);
  #turn = $state(0);

  /** Nothing is loaded, and nothing kept, while `query` returns null or undefined. */
  constructor(
    query: () => Q | null | undefined,
    private readonly request: (query: Q, signal: AbortSignal) => Promise<T>,
    private readonly settings: Settings<T> = {},
  ) {
    $effect(() => {
      void this.#turn;
      const wanted = query();
      if (wanted === null || wanted === undefined) {
        this.value = this.fault = null;
        return undefined;
      }
      if (settings.drops) this.value = this.fault = null;
      this.loading = true;
      return afterPause(
        () => (this.value === null ? 0 : (settings.pause ?? 0)),
        (signal) => this.#start(wanted, signal),
      );
    });
  }

  /** Load again, with the same query. */
  readonly reload = (): void => {
    this.#turn += 1;
  };

  /** Whether it loads again by itself after a fault. */
  get isPolled(): boolean {
    return this.settings.polls !== undefined;
  }

  #start(query: Q, signal: AbortSignal): void | Promise<void> {
    const { polls } = this.settings;
    if (!polls) return this.#load(query, signal);
    const stop = poll(async () => {
      await this.#load(query, signal);
      if (signal.aborted) return false;
      if (this.fault === null) return polls(this.value as T);
      if (isFinal(this.fault.status)) return false;
      throw this.fault;
    });
    signal.addEventListener('abort', stop);
  }

  async #load(query: Q, signal: AbortSignal): Promise<void> {
    this.loading = true;
    try {
      const value = await this.request(query, signal);
      if (signal.aborted) return;
      this.value = value;
      this.fault = null;
    } catch (reason) {
      if (signal.aborted) return;
      if (!(reason instanceof RequestFault)) throw reason;
      this.fault = reason;
    } finally {
      if (!signal.aborted) this.loading = false;
    }
  }
}
