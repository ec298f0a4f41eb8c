/** Keys that do something wherever the focus is. */

/** An element that handles keys itself. */
const OWN_KEYS = 'input:not([type=checkbox]), select, textarea, dialog, [role=listbox], [role=separator]';

/**
 * The key of a shortcut, in small letters, and a letter that is held with Shift in a capital one; null where it is held
 * with other keys or belongs to what has the focus.
 */
export function shortcutOf(event: KeyboardEvent): string | null {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return null;
  const target = event.target as HTMLElement;
  if (target.closest(OWN_KEYS)) return null;
  // A question mark needs Shift on most keyboards.
  if (event.shiftKey && event.key !== '?') return /^[a-z]$/i.test(event.key) ? event.key.toUpperCase() : null;
  // A space presses a button, and ticks a box.
  if (event.key === ' ' && target.closest('button, a, summary, input, [role=button]')) return null;
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}
