/**
 * Keys of an input method.
 *
 * While text is composed, as in Japanese, Chinese or Korean, keys belong to the input method: Enter confirms the text,
 * arrows choose among candidates.
 */

const KEY_EVENTS = ['keydown', 'keypress', 'keyup'] as const;
/** The key code of a key that an input method handles. Safari sends Enter with it after the composition has ended. */
const HANDLED_BY_INPUT_METHOD = 229;

/**
 * Keep the keys of an input method from every key handler of the page; the browser's own handling is untouched.
 *
 * Call it before anything else listens: it stops the events at the window, before they reach any other listener.
 */
export function guardComposition(window: Window): void {
  for (const type of KEY_EVENTS) window.addEventListener(type, stopComposing, { capture: true });
}

function stopComposing(event: KeyboardEvent) {
  if (event.isComposing || event.keyCode === HANDLED_BY_INPUT_METHOD) event.stopImmediatePropagation();
}
