/** The recorded runs that the Python tests check against the engine: for tests only. */
import type { RunEventOut } from '../../api/types';

const files = import.meta.glob<RunEventOut[]>('../../../../tests/recorded/*.json', { eager: true, import: 'default' });

const earlier = import.meta.glob<RunEventOut[]>('../../../../tests/recorded/earlier/*.json', {
  eager: true,
  import: 'default',
});

/** Every recorded run by name, frozen, so that a fold that changed an event would throw. */
export const RECORDED = named(files);

/** Runs as earlier versions recorded them, which lack the fields that were added later. */
export const EARLIER = named(earlier);

/** A recorded run. */
export function recorded(name: string): readonly RunEventOut[] {
  const events = RECORDED.get(name);
  if (!events) throw new Error(`no recorded run is called ${name}`);
  return events;
}

function named(files: Readonly<Record<string, RunEventOut[]>>): ReadonlyMap<string, readonly RunEventOut[]> {
  return new Map(Object.entries(files).map(([path, events]) => [path.replace(/^.*\/|\.json$/g, ''), frozen(events)]));
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}
