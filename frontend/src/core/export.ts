/** What can be taken away from a run. */
import type { AnswerOut } from '../api/types';

/** The answers as CSV (RFC 4180): label, id, and the facts that prove each. */
export function answersCsv(answers: readonly AnswerOut[]): string {
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
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
