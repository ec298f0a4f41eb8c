/** What was in sight of a drawing, as it was kept. */
import type { Sight } from '../graph/drawing';

/** What was kept as a sight; null where it is none. */
export function sightRead(kept: unknown): Sight | null {
  if (typeof kept !== 'object' || kept === null || !('box' in kept) || !('camera' in kept)) return null;
  const { box, camera } = kept as { box: Partial<Sight['box']>; camera: Partial<Sight['camera']> };
  const numbers = [...(box.x ?? []), ...(box.y ?? []), camera.x, camera.y, camera.ratio];
  return numbers.length === 7 && numbers.every((value) => Number.isFinite(value)) ? (kept as Sight) : null;
}
