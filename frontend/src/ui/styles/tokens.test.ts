/** Sizes, spaces, corners and colours of components come from the tokens of `app.css`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '../..');
const FILES = readdirSync(SOURCE, { recursive: true, encoding: 'utf-8' }).filter((name) =>
  /\.(svelte|css)$/.test(name),
);

/** A length in pixels; a hairline is no size, and what is relative to the text follows it. */
const PIXELS = /(?<![\w-])(?!1px\b)\d*\.?\d+px\b/;
const COLOUR = /#[\da-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|lab)\(/i;

/** Which raw values are forbidden, by the property. */
const RULES: readonly (readonly [property: RegExp, value: RegExp])[] = [
  [/^font(-size)?$/, PIXELS],
  [/^((scroll-)?margin|padding)(-|$)|^(row-|column-)?gap$/, PIXELS],
  [/^border-.*radius$|^border-radius$/, PIXELS],
  [/^(?!--)/, COLOUR],
];

function styleOf(name: string): string {
  const text = readFileSync(join(SOURCE, name), 'utf-8');
  const style = name.endsWith('.css') ? text : (/<style>(.*)<\/style>/s.exec(text)?.[1] ?? '');
  return style.replaceAll(/\/\*.*?\*\//gs, '');
}

/** Each raw value of a style sheet, as it is written. */
function raw(style: string): string[] {
  const found = [...style.matchAll(/([\w-]+)\s*:\s*([^;{}]+);/g)];
  return found.flatMap(([, property = '', value = '']) =>
    RULES.some(([properties, values]) => properties.test(property) && values.test(value))
      ? [`${property}: ${value.trim()}`]
      : [],
  );
}

test('a raw size or colour is found', () => {
  const style = 'a { font-size: 13px; margin: 0 4px; border-radius: 9px; color: #fff; } b { font: 500 12px serif; }';
  expect(raw(style)).toHaveLength(5);
});

test('tokens, hairlines and sizes that follow the text are no raw values', () => {
  const style = 'a { font-size: 0.8em; margin: 0 var(--space-2); padding: 1px; border: 2px solid; color: var(--ink); }';
  expect(raw(style)).toEqual([]);
});

test.each(FILES)('%s uses the tokens', (name) => {
  expect(raw(styleOf(name))).toEqual([]);
});
