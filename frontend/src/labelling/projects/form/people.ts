/** User names as people type them: with commas, semicolons or spaces between them. */

/** The names that were typed, each once. */
export function namesIn(typed: string): string[] {
  return [...new Set(typed.split(/[\s,;]+/).filter(Boolean))];
}
