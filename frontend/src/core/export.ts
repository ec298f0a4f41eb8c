/** What can be taken away from a run. */
import type { AnswerRecord } from '../api/types';

/**
 * The answers as CSV (RFC 4180): label, id, and the facts that prove each.
 *
 * A spreadsheet would take a cell that begins like a formula for one, and a name may begin so: such a cell gets an
 * apostrophe before it, as OWASP says. A number stays a number.
 */
export function answersCsv(answers: readonly AnswerRecord[]): string {
  const rows = answers.map(({ term, path, conditions }) => [
    term.label,
    term.id,
    [...path, ...conditions]
      .map(({ source, relation, target }) => `${source.id} ${relation.id} ${target.id}`)
      .join('; '),
  ]);
  return [['answer', 'id', 'proof'], ...rows].map((row) => row.map(cell).join(',') + '\r\n').join('');
}

function cell(value: string): string {
  const harmless = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return /[",\r\n\t]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
