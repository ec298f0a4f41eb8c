/** Where the terms of G_k stand, and which one each grew from. Terms are only ever added, but for another topic. */
import type { FactRecord } from '../../api/types';
import { extend, type Arrival, type Point } from './layout';
import { placeOf, sourceOf, targetOf, type Place, type RunState } from '../events/run';

export interface Placement {
  readonly points: ReadonlyMap<Place, Point>;
  /** The term that each one grew from; the topic entity grew from none. */
  readonly origins: ReadonlyMap<Place, Place>;
}

/** Before anything is known. */
export const NOTHING_PLACED: Placement = { points: new Map(), origins: new Map() };

/**
 * The placement with a place for every term of the state and of the fetched facts.
 *
 * @param fetched Facts of a position that the events did not list.
 */
export function placed(
  before: Placement,
  state: RunState,
  fetched: ReadonlyMap<number, readonly FactRecord[]>,
): Placement {
  const topic = state.linked?.topic;
  // Nothing of the drawing around one topic has its place around another.
  const { points, origins } = topic && !before.points.has(placeOf(0, topic)) ? NOTHING_PLACED : before;
  let standing = points;
  const grewFrom = new Map(origins);
  if (topic && standing.size === 0) standing = new Map([[placeOf(0, topic), { x: 0, y: 0 }]]);
  for (const { out } of state.nodes) {
    const facts = [
      ...state.facts.filter(({ position }) => position === out.position),
      ...(fetched.get(out.position) ?? []),
    ];
    const arrivals: Arrival<Place>[] = facts
      .map((fact) => ({ key: targetOf(fact), source: sourceOf(state, fact) }))
      .filter(({ key }) => !standing.has(key));
    if (arrivals.length === 0) continue;
    standing = extend(standing, arrivals, grewFrom);
    for (const { key, source } of arrivals) if (!grewFrom.has(key)) grewFrom.set(key, source);
  }
  return { points: standing, origins: grewFrom };
}
