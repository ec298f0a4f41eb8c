import { expect, test } from 'vitest';

import { EMPTY, kept } from '../core/drawing/exploration';
import { keptText, packed, readKept, unpacked } from './packed';

test('what is packed comes back, in letters that an address may hold', async () => {
  const value = { name: 'Gérard ⟨…⟩ 映画', many: Array.from({ length: 400 }, (_, index) => `m.0${index}`) };
  const text = await packed(value);
  expect(text).toMatch(/^[\w-]+$/);
  expect(text.length).toBeLessThan(JSON.stringify(value).length);
  expect(await unpacked(text)).toEqual(value);
});

test.each(['', 'no link', 'AAAA', '%%%'])('of %j nothing comes back', async (text) => {
  expect(await unpacked(text)).toBeNull();
});

test('of a link that was cut off nothing comes back', async () => {
  expect(await unpacked((await packed({ a: 'b'.repeat(300), c: Math.PI })).slice(0, -9))).toBeNull();
});

test('what the site keeps says its form, and one that was kept as it is can be read, too', async () => {
  const drawing = kept(EMPTY, ['Daniels'], null);
  const text = await keptText(drawing);
  expect(JSON.parse(text)).toMatchObject({ form: 1 });
  expect(await readKept(text)).toEqual(drawing);
  expect(await readKept(JSON.stringify(drawing))).toEqual(drawing);
});
