/** A question as it is typed, and as it is asked. */

/** The question without blanks at its ends, and with single ones in its midst. */
export function cleaned(typed: string): string {
  return typed.trim().replace(/\s+/g, ' ');
}

/** Why a question cannot be asked, and what to do; null where it can. */
export function questionFault(typed: string, longest: number): string | null {
  const { length } = typed.trim();
  if (length === 0) return 'Write a question first: a sentence that names what it is about.';
  return length > longest
    ? `A question has at most ${longest} characters. Shorten this one by ${length - longest}.`
    : null;
}
