/** Arrangements that are shared by all components are used by several; one of a single component belongs there. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '../..');
const LAYOUT = readFileSync(join(import.meta.dirname, 'layout.css'), 'utf-8');
const NAMES = new Set([...LAYOUT.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name));
const USED = readdirSync(SOURCE, { recursive: true, encoding: 'utf-8' })
  .filter((name) => name.endsWith('.svelte'))
  .map((name) => {
    const markup = readFileSync(join(SOURCE, name), 'utf-8').replace(/<style>.*<\/style>/s, '');
    return new Set([...markup.matchAll(/\bclass=("[^"]*"|\{[^}]*\})/g)].flatMap(([value]) => value.split(/[^\w-]+/)));
  });

test.each([...NAMES])('%s is used by three components at least', (name) => {
  expect(USED.filter((names) => names.has(name)).length).toBeGreaterThanOrEqual(3);
});
