/** The recorded runs that the Python tests check against the engine: for tests only. */
import type { RunEventOut } from '../api/types';

const files = import.meta.glob<RunEventOut[]>('../../../tests/recorded/*.json', { eager: true, import: 'default' });

/** Every recorded run by name, frozen, so that a fold that changed an event would throw. */
export const RECORDED: ReadonlyMap<string, readonly RunEventOut[]> = new Map(
  Object.entries(files).map(([path, events]) => [path.replace(/^.*\/|\.json$/g, ''), frozen(events)]),
);

/** A recorded run. */
export function recorded(name: string): readonly RunEventOut[] {
  const events = RECORDED.get(name);
  if (!events) throw new Error(`no recorded run is called ${name}`);
  return events;
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}
