/** The pages use the components of the kit instead of elements that each would style by itself. */
import { expect, test } from 'vitest';

const SOURCES = import.meta.glob<string>('../**/*.svelte', { query: '?raw', import: 'default', eager: true });

test.each(['button'])('no component outside the kit has a raw <%s>', (element) => {
  const pages = Object.entries(SOURCES).filter(([file]) => !file.startsWith('./'));
  expect(pages.length).toBeGreaterThan(100);
  expect(pages.filter(([, source]) => new RegExp(`<${element}\\b`).test(source)).map(([file]) => file)).toEqual([]);
});
