/**
 * Where the terms of G_k stand. New terms fan out from the one they belong to and then settle among the others; those
 * that stand already never move, so that the eye can follow a run from step to step.
 */

/** A point of the drawing; the topic entity stands at the origin. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A term that joins the drawing, and the one it grows from. */
export interface Arrival<Key extends string> {
  readonly key: Key;
  readonly source: Key;
}

/** The room that a term asks for. */
const ROOM = 1;
/** How far a single term stands from the one it grew from. */
const REACH = 1.9;
/** How far to either side of straight on a term may grow. */
const WINGS = 1.25;
/** So few terms around the topic stand to its right, as in the structure; more have the whole circle. */
const FEW = 5;
/** More terms than this around one are a crowd. */
const CROWD = 20;
/** The room that a seed of a sunflower asks for. */
const SEED = 0.62;
const ROUNDS = 60;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** The layout with more terms in it; the given points stay what they are. */
export function extend<Key extends string>(
  points: ReadonlyMap<Key, Point>,
  arrivals: readonly Arrival<Key>[],
  origins: ReadonlyMap<Key, Key>,
): ReadonlyMap<Key, Point> {
  const fresh = new Map<Key, { x: number; y: number; source: Key; rest: number }>();
  for (const [source, keys] of bySource(points, arrivals)) {
    const centre = points.get(source) ?? { x: 0, y: 0 };
    const seats =
      keys.length > CROWD ? crowd(points, source, origins, keys.length) : fan(points, source, origins, keys.length);
    keys.forEach((key, index) => {
      const { x, y } = seats[index] ?? centre;
      fresh.set(key, { x, y, source, rest: Math.hypot(x - centre.x, y - centre.y) });
    });
  }
  settle(points, fresh);
  const extended = new Map(points);
  for (const [key, { x, y }] of fresh) extended.set(key, { x, y });
  return extended;
}

/** The new terms under the term they grow from; a term that several lead to grows from the first. */
function bySource<Key extends string>(
  points: ReadonlyMap<Key, Point>,
  arrivals: readonly Arrival<Key>[],
): ReadonlyMap<Key, readonly Key[]> {
  const seen = new Set<Key>();
  const groups = new Map<Key, Key[]>();
  for (const { key, source } of arrivals) {
    if (points.has(key) || seen.has(key)) continue;
    seen.add(key);
    const group = groups.get(source);
    if (group) group.push(key);
    else groups.set(source, [key]);
  }
  return groups;
}

/**
 * The widest free sector around a term: its middle, and how much of it new terms need. The topic has the whole
 * circle, and every other term grows away from the one it came from.
 */
function sector<Key extends string>(
  points: ReadonlyMap<Key, Point>,
  source: Key,
  origins: ReadonlyMap<Key, Key>,
  count: number,
): { middle: number; spread: number } {
  const centre = points.get(source) ?? { x: 0, y: 0 };
  const from = points.get(origins.get(source) ?? source) ?? centre;
  const outward = Math.atan2(centre.y - from.y, centre.x - from.x);
  const reach = from === centre ? Math.PI : WINGS;
  const angles: number[] = [];
  for (const [key, point] of points) {
    if (origins.get(key) === source) angles.push(turned(Math.atan2(point.y - centre.y, point.x - centre.x) - outward));
  }
  if (reach === Math.PI && angles.length === 0) {
    return { middle: 0, spread: count > FEW ? 2 * Math.PI : 0.6 * (count - 1) };
  }
  const borders = [-reach, ...angles.filter((angle) => Math.abs(angle) < reach).sort((a, b) => a - b), reach];
  let middle = 0;
  let widest = 0;
  borders.slice(1).forEach((border, index) => {
    const start = borders[index] ?? -reach;
    if (border - start <= widest + 1e-9) return;
    widest = border - start;
    middle = start + widest / 2;
  });
  return { middle: outward + middle, spread: Math.min(widest * 0.7, 0.42 * (count - 1)) };
}

/** An angle between -π and π. */
function turned(angle: number): number {
  return Math.atan2(Math.sin(angle), Math.cos(angle));
}

/** Seats for a few new terms: on an arc around the term they grow from. */
function fan<Key extends string>(
  points: ReadonlyMap<Key, Point>,
  source: Key,
  origins: ReadonlyMap<Key, Key>,
  count: number,
): readonly Point[] {
  const centre = points.get(source) ?? { x: 0, y: 0 };
  const { middle, spread } = sector(points, source, origins, count);
  const whole = spread > 2 * Math.PI - 1e-9;
  const arc = Math.max(REACH, (ROOM * (count - 1)) / Math.max(spread, 0.3));
  return Array.from({ length: count }, (_, index) => {
    const share = whole ? (index + 0.5) / count : count === 1 ? 0.5 : index / (count - 1);
    const angle = middle + (whole ? share * 2 * Math.PI : (share - 0.5) * spread);
    const distance = Math.min(arc, REACH + 0.35 * Math.sqrt(count) + (index % 3) * (count > 8 ? ROOM : 0));
    return { x: centre.x + Math.cos(angle) * distance, y: centre.y + Math.sin(angle) * distance };
  });
}

/**
 * Seats for many new terms: in the even packing of a sunflower's seeds, around the topic, or at the end of a stalk that
 * leads away from it. More of them, later, go on where the first ended.
 */
function crowd<Key extends string>(
  points: ReadonlyMap<Key, Point>,
  source: Key,
  origins: ReadonlyMap<Key, Key>,
  count: number,
): readonly Point[] {
  const centre = points.get(source) ?? { x: 0, y: 0 };
  const before = [...points].flatMap(([key, point]) => (origins.get(key) === source ? [point] : []));
  const seeds = before.length > CROWD ? before.length : 0;
  let heart = centre;
  if (seeds > 0) {
    heart = { x: mean(before.map(({ x }) => x)), y: mean(before.map(({ y }) => y)) };
  } else if (origins.has(source)) {
    const { middle } = sector(points, source, origins, 1);
    const stalk = REACH + SEED * Math.sqrt(count);
    heart = { x: centre.x + Math.cos(middle) * stalk, y: centre.y + Math.sin(middle) * stalk };
  }
  // Around the topic itself, there is room for its own name.
  const hollow = origins.has(source) ? 0 : REACH;
  return Array.from({ length: count }, (_, index) => {
    const angle = (seeds + index) * GOLDEN;
    const distance = hollow + SEED * Math.sqrt(seeds + index);
    return { x: heart.x + Math.cos(angle) * distance, y: heart.y + Math.sin(angle) * distance };
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Push the new terms apart, and away from those that stand, while each stays near the one it grew from. */
function settle<Key extends string>(
  points: ReadonlyMap<Key, Point>,
  fresh: Map<Key, { x: number; y: number; source: Key; rest: number }>,
): void {
  const moving = [...fresh.values()];
  const grid = new Map<string, Point[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    grid.clear();
    for (const point of [...points.values(), ...moving]) {
      const cell = `${Math.floor(point.x / ROOM)}/${Math.floor(point.y / ROOM)}`;
      const others = grid.get(cell);
      if (others) others.push(point);
      else grid.set(cell, [point]);
    }
    const cooling = 1 - round / ROUNDS;
    for (const point of moving) {
      let pushX = 0;
      let pushY = 0;
      for (const other of near(grid, point)) {
        if (other === point) continue;
        // Two terms in one spot part in a direction that depends on nothing but the spot.
        const dx = point.x - other.x || 1e-3;
        const dy = point.y - other.y || 1e-3 * Math.sign(point.x || 1);
        const distance = Math.hypot(dx, dy);
        if (distance >= ROOM) continue;
        pushX += (dx / distance) * (ROOM - distance);
        pushY += (dy / distance) * (ROOM - distance);
      }
      const source = points.get(point.source) ?? { x: 0, y: 0 };
      const dx = point.x - source.x;
      const dy = point.y - source.y;
      const stretch = (Math.hypot(dx, dy) - point.rest) / (Math.hypot(dx, dy) || 1);
      point.x += 0.5 * cooling * pushX - 0.05 * stretch * dx;
      point.y += 0.5 * cooling * pushY - 0.05 * stretch * dy;
    }
  }
}

function* near(grid: ReadonlyMap<string, readonly Point[]>, point: Point): Generator<Point> {
  const column = Math.floor(point.x / ROOM);
  const row = Math.floor(point.y / ROOM);
  for (let dx = -1; dx <= 1; dx += 1) {
    for (let dy = -1; dy <= 1; dy += 1) yield* grid.get(`${column + dx}/${row + dy}`) ?? [];
  }
}
