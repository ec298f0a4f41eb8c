/** The stored view of a drawing: its box and camera. */
import type { Sight } from '../graph/drawing';

/** A stored view; null if the stored value is not valid. */
export function readStoredView(kept: unknown): Sight | null {
  if (typeof kept !== 'object' || kept === null || !('box' in kept) || !('camera' in kept)) return null;
  const { box, camera } = kept as { box: Partial<Sight['box']>; camera: Partial<Sight['camera']> };
  const numbers = [...(box.x ?? []), ...(box.y ?? []), camera.x, camera.y, camera.ratio];
  return numbers.length === 7 && numbers.every((value) => Number.isFinite(value)) ? (kept as Sight) : null;
}
