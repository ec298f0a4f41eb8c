import { expect, test } from 'vitest';

import { answersCsv } from './export';
import { recorded } from './recorded';
import { fold } from './run';

test('answers leave with their ids and proofs', () => {
  const end = fold(recorded('several_answers')).end;
  if (end?.kind !== 'finished') throw new Error('the run has no answers');
  const [head, ...rows] = answersCsv(end.answers).trimEnd().split('\r\n');
  expect(head).toBe('answer,id,proof');
  expect(rows).toHaveLength(2);
  expect(rows[1]).toMatch(/^Jamaican English,/);
});

test('commas, quotes and line breaks survive', () => {
  const term = { id: '"a"', kind: 'text', label: 'Yes, "no"\nperhaps' } as const;
  expect(answersCsv([{ term, path: [], conditions: [] }])).toBe(
    'answer,id,proof\r\n"Yes, ""no""\nperhaps","""a""",\r\n',
  );
});
