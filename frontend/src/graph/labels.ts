/** Where names stand so that none covers another. */

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const CELL = 64;

/** The room that is taken on a drawing. */
export class Room {
  readonly #width: number;
  readonly #height: number;
  readonly #cells = new Map<number, Rect[]>();

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
  }

  /** Whether a rectangle lies within the drawing, and on nothing that is taken. */
  isFree(rect: Rect): boolean {
    const { x, y, width, height } = rect;
    if (x < 0 || y < 0 || x + width > this.#width || y + height > this.#height) return false;
    return this.#around(rect).every((cell) => !this.#cells.get(cell)?.some((other) => overlap(rect, other)));
  }

  /** Take the room of a rectangle. */
  take(rect: Rect): void {
    for (const cell of this.#around(rect)) {
      const others = this.#cells.get(cell);
      if (others) others.push(rect);
      else this.#cells.set(cell, [rect]);
    }
  }

  /** Take the first of some rectangles that is free; -1 where none is. */
  takeFirst(rects: readonly Rect[], margin = 0): number {
    const found = rects.findIndex((rect) => this.isFree(margin > 0 ? widened(rect, margin) : rect));
    const rect = rects[found];
    if (rect) this.take(rect);
    return found;
  }

  #around({ x, y, width, height }: Rect): readonly number[] {
    const cells: number[] = [];
    for (let column = Math.floor(x / CELL); column <= Math.floor((x + width) / CELL); column += 1) {
      for (let row = Math.floor(y / CELL); row <= Math.floor((y + height) / CELL); row += 1) {
        cells.push(column * 4096 + row);
      }
    }
    return cells;
  }
}

function widened({ x, y, width, height }: Rect, margin: number): Rect {
  return { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin };
}

function overlap(one: Rect, other: Rect): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}
