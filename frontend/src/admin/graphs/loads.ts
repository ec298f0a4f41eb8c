/** Loads of graphs in words, and what may be asked of one. */
import type { GraphLoadOut } from '../../api/types';
import { shown } from '../../core/words/shown';
import { number, plural } from '../../core/words/format';

/** The last load of each name, where it is at work or came to nothing; newest first, as they come. */
export function unfinished(loads: readonly GraphLoadOut[]): readonly GraphLoadOut[] {
  const last = loads.filter((load, place) => loads.findIndex(({ name }) => name === load.name) === place);
  return last.filter(({ status }) => status !== 'succeeded');
}

/** The load that a graph came from, if it is among these. */
export function loadOf(
  graph: { readonly name: string; readonly version: string },
  loads: readonly GraphLoadOut[],
): GraphLoadOut | undefined {
  return loads.find(
    ({ name, status, version }) => name === graph.name && status === 'succeeded' && version === graph.version,
  );
}

/**
 * Where a load stands.
 *
 * @param others All loads, this one among them: one graph is loaded at a time.
 */
export function progressWords(load: GraphLoadOut, others: readonly GraphLoadOut[]): string {
  switch (load.status) {
    case 'queued':
      if (load.reason) return shown(load.reason);
      return others.some(({ status }) => status === 'running')
        ? 'waiting: graphs are loaded one at a time'
        : 'waiting for a worker';
    case 'cancelled':
      return load.replaces ? 'stopped; the previous graph is unchanged' : 'stopped';
    case 'failed':
      // The lines that were passed over stand one below the other.
      return load.reason.split('\n').map(shown).join('\n');
    case 'succeeded':
      return `${plural(load.triples ?? 0, 'fact')} loaded`;
    case 'running':
      return stageWords(load);
  }
}

function stageWords({ stage, lines, done, total }: GraphLoadOut): string {
  switch (stage) {
    case 'reading':
      return `reading: ${plural(lines, 'line')} read`;
    case 'arranging':
      return `sorting ${plural(lines, 'line')}`;
    case 'writing':
      return `writing: ${number(done)}${total === null ? '' : ` of ${number(total)}`} rows stored`;
    case 'indexing':
      return 'creating indexes';
    default:
      return 'beginning';
  }
}

const LONGEST_NAME = 100;

/** Why a graph cannot bear a name; null where it can. The site has the last word. */
export function nameFault(name: string, taken: readonly string[]): string | null {
  if (!name) return 'Give the graph a name. Addresses and commands use it.';
  if (!/^[a-z0-9]+([-_][a-z0-9]+)*$/.test(name)) {
    return 'In the name, use lower-case letters, digits, and single hyphens or underscores between them.';
  }
  if (name.length > LONGEST_NAME) return `Use at most ${LONGEST_NAME} characters for the name.`;
  return taken.includes(name)
    ? `A graph “${name}” exists already. Choose another name, or close this and replace that graph.`
    : null;
}

/** A name for a graph from the name of its file: "My Facts.tsv.gz" is "my-facts". */
export function nameOf(file: string): string {
  const [stem = ''] = file.toLowerCase().split('.');
  return stem
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/[-_]{2,}/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '')
    .slice(0, LONGEST_NAME);
}
