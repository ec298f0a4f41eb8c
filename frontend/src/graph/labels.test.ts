import { expect, test } from 'vitest';

import { Room } from './labels';

const name = (x: number, y: number) => ({ x, y, width: 50, height: 15 });

test('no two names share a place, across the borders of cells too', () => {
  const room = new Room(640, 400);
  expect(room.takeFirst([name(40, 60)])).toBe(0);
  expect(room.takeFirst([name(80, 70), name(120, 60)])).toBe(1);
  expect(room.isFree(name(60, 50))).toBe(false);
  expect(room.isFree(name(60, 80))).toBe(true);
});

test('a name stays within the drawing, and takes nothing where it finds no place', () => {
  const room = new Room(100, 100);
  expect(room.takeFirst([name(-1, 10), name(60, 10), name(10, 90)])).toBe(-1);
  expect(room.takeFirst([name(10, 10)])).toBe(0);
});

test('a name that is not requested keeps its distance', () => {
  const room = new Room(640, 400);
  room.take(name(100, 100));
  expect(room.takeFirst([name(152, 100)], 6)).toBe(-1);
  expect(room.takeFirst([name(152, 100)])).toBe(0);
});
