/** Who is here, which graphs there are and how they can be asked: asked once, kept for all pages. */
import {
  RequestFault,
  getSession,
  isSignedInAgain,
  listGraphs,
  listStrategies,
  onSessionEnded,
  signIn,
  signOut,
} from '../api/client';
import { forgetUnsentText } from '../ui/fields/typing.svelte';
import type { GraphOut, SessionOut, StrategyOut } from '../api/types';

/** The roles that may label. */
const LABELLERS: ReadonlySet<string> = new Set(['annotator', 'reviewer', 'admin']);
/** The roles that may review cases. */
const REVIEWERS: ReadonlySet<string> = new Set(['reviewer', 'admin']);

class Session {
  current = $state.raw<SessionOut | null>(null);
  graphs = $state.raw<readonly GraphOut[] | null>(null);
  /** The ways to answer questions, the usual one first. */
  strategies = $state.raw<readonly StrategyOut[]>([]);
  fault = $state<string | null>(null);
  /** Set while the user is asked to sign in again: called with whether they did. */
  ended = $state.raw<((signedIn: boolean) => void) | null>(null);
  /** The default graph, or another that can be asked. */
  readonly usualGraph = $derived(
    this.graphs?.find(({ is_default, fault }) => is_default && fault === null) ??
      this.graphs?.find(({ fault }) => fault === null),
  );

  /** Whether who is here may label questions. */
  readonly labels = $derived(LABELLERS.has(this.current?.user?.role ?? ''));

  /** Whether who is here may review cases. */
  readonly reviews = $derived(REVIEWERS.has(this.current?.user?.role ?? ''));

  /** Whether who is here may teach models. */
  readonly trains = $derived(this.current?.user?.role === 'admin');

  /** Ask the site. */
  async load(): Promise<void> {
    try {
      [this.current, this.graphs, this.strategies] = await Promise.all([getSession(), listGraphs(), listStrategies()]);
      this.fault = null;
    } catch (fault) {
      if (!(fault instanceof RequestFault)) throw fault;
      this.fault = fault.message;
    }
  }

  /** Sign in; throws `RequestFault` where the site refuses. */
  async signIn(username: string, password: string): Promise<void> {
    this.current = await signIn(username, password);
  }

  /**
   * Sign in again as who the page shows; throws `RequestFault` where the site refuses.
   *
   * Without a password it only looks whether that was done in another tab. Tells whether they are signed in.
   */
  async signInAgain(password?: string): Promise<boolean> {
    const { user } = this.current ?? {};
    if (!(await isSignedInAgain())) {
      if (!user || password === undefined) return false;
      await this.signIn(user.username, password);
    }
    this.ended?.(true);
    return true;
  }

  /** Take over whom the site took in by another way than the form. */
  take(session: SessionOut): void {
    this.current = session;
  }

  /** Sign out; throws `RequestFault` where the site cannot be reached. */
  async signOut(): Promise<void> {
    this.current = await signOut();
    forgetUnsentText();
  }
}

export const session = new Session();

onSessionEnded(
  () =>
    new Promise((resolve) => {
      session.ended = (signedIn) => {
        session.ended = null;
        resolve(signedIn);
      };
    }),
);
