import { expect, test } from 'vitest';

import { guardComposition } from './composition';

guardComposition(window);

/** The events that reach listeners at the window and at the field, in either phase. */
function heard(type: string, init: KeyboardEventInit): readonly string[] {
  const reached: string[] = [];
  const field = document.body.appendChild(document.createElement('input'));
  const targets: readonly (readonly [string, EventTarget])[] = [
    ['window', window],
    ['field', field],
  ];
  const stop = new AbortController();
  for (const [name, target] of targets)
    for (const capture of [true, false])
      target.addEventListener(type, () => reached.push(`${name} ${capture ? 'before' : 'after'}`), {
        capture,
        signal: stop.signal,
      });
  field.dispatchEvent(new KeyboardEvent(type, { key: 'Enter', bubbles: true, cancelable: true, ...init }));
  stop.abort();
  field.remove();
  return reached;
}

test.each(['keydown', 'keypress', 'keyup'])('a %s of an input method reaches no listener', (type) => {
  expect(heard(type, { isComposing: true })).toEqual([]);
  expect(heard(type, { keyCode: 229 })).toEqual([]);
});

test('other keys reach all listeners', () => {
  expect(heard('keydown', { keyCode: 13 })).toEqual(['window before', 'field before', 'field after', 'window after']);
});
