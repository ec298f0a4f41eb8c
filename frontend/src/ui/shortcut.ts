/** Keys that do something wherever the focus is. */

/** Whoever listens to keys for what is typed or chosen in it. */
const OWN_KEYS = 'input, select, textarea, dialog, [role=listbox], [role=separator]';

/** The key of a shortcut, in small letters; null where it is held with others or belongs to what has the focus. */
export function shortcutOf(event: KeyboardEvent): string | null {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return null;
  // A question mark needs Shift on most keyboards.
  if (event.shiftKey && event.key !== '?') return null;
  const target = event.target as HTMLElement;
  if (target.closest(OWN_KEYS)) return null;
  // A space presses a button.
  if (event.key === ' ' && target.closest('button, a, summary, [role=button]')) return null;
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}
