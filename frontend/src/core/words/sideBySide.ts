/** Where a question is set side by side: answered in several ways at once. */
import type { RunOut } from '../../api/types';

/** What is set side by side of a question; null leaves a choice to the page. */
export interface Beside {
  readonly question: string;
  readonly graph: string | null;
  readonly scorer: string | null;
  /** What it is about, and what that is called. */
  readonly topic: string | null;
  readonly topicName: string | null;
}

/** Where one chooses the ways to answer a question. */
export function besideAddress({ question, graph, scorer, topic, topicName }: Beside): string {
  const query = new URLSearchParams();
  if (question) query.set('question', question);
  if (graph !== null) query.set('graph', graph);
  if (scorer !== null) query.set('scorer', scorer);
  if (topic !== null) {
    query.set('about', topic);
    query.set('named', topicName ?? topic);
  }
  const chosen = query.toString();
  return `/side-by-side${chosen ? `?${chosen}` : ''}`;
}

/** What is seen of a run that one asked: it alone, or beside those that were asked with it. */
export function askedAddress(run: Pick<RunOut, 'id' | 'side_by_side'>): string {
  return run.side_by_side === null ? `/runs/${run.id}` : `/side-by-side/${run.side_by_side}`;
}
