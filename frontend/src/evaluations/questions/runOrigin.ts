/** The list of an evaluation from which a run was opened, as the address of the run stores it. */
import { readOverlay, withOverlay } from '../report/overlay';
import { readFilter, writeFilter, type Filter } from './query';

/** A question of an evaluation, in a list that a filter made. */
export interface RunOrigin {
  readonly evaluation: string;
  readonly position: number;
  /** The evaluation that the list is compared with; null without a comparison. */
  readonly against: string | null;
  readonly filter: Filter;
  /** The overlay that is applied to the evaluation; null without one. */
  readonly overlay: string | null;
}

const ID = /^[0-9a-f-]{36}$/;
const POSITION = /^[1-9]\d{0,8}$/;

/** The list that an address names; null where it names none. */
export function readRunOrigin(search: string): RunOrigin | null {
  const kept = new URLSearchParams(search);
  const position = positionIn(kept.get('question'));
  const evaluation = idIn(kept.get('of'));
  if (evaluation === null || position === null) return null;
  return {
    evaluation,
    position,
    against: idIn(kept.get('against')),
    filter: readFilter(search),
    overlay: readOverlay(search),
  };
}

/** What an address keeps of it: a query string without its question mark. */
export function writeRunOrigin({ evaluation, position, against, filter, overlay }: RunOrigin): string {
  const kept = new URLSearchParams({ of: evaluation, question: String(position) });
  if (against !== null) kept.set('against', against);
  const rest = withOverlay(writeFilter(filter), overlay).slice(1);
  return rest ? `${kept.toString()}&${rest}` : kept.toString();
}

/** The address of the list, at the row of the question. */
export function listOf({ evaluation, position, against, filter, overlay }: RunOrigin): string {
  const path = `/evaluations/${evaluation}${against === null ? '' : `/against/${against}`}`;
  const rest = withOverlay(writeFilter(filter), overlay).slice(1);
  return `${path}?at=${position}${rest ? `&${rest}` : ''}`;
}

/** The row that a list is to show; null where it begins at its first. */
export function readRow(search: string): number | null {
  return positionIn(new URLSearchParams(search).get('at'));
}

function idIn(text: string | null): string | null {
  return text !== null && ID.test(text) ? text : null;
}

function positionIn(text: string | null): number | null {
  return text !== null && POSITION.test(text) ? Number(text) : null;
}
