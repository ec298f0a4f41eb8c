/** A question as it is typed, and as it is asked. */

/** The question without blanks at its ends, and with single ones in its midst. */
export function cleaned(typed: string): string {
  return typed.trim().replace(/\s+/g, ' ');
}

/** Why a question cannot be asked, and what to do; null where it can. */
export function questionFault(typed: string, longest: number): string | null {
  const { length } = typed.trim();
  if (length === 0) return 'Write a question first: a sentence that names its topic.';
  return length > longest ? `Limit: ${longest} characters. Shorten this one by ${length - longest}.` : null;
}
