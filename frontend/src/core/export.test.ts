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

test('a cell that a spreadsheet would take for a formula is none', () => {
  const labels = [
    '=1+1',
    '+cmd',
    '-2+3',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '＝1',
    '-5',
    '+3.25e-4',
    'a=b',
    '=HYPERLINK("x","y")',
  ];
  const answers = labels.map((label) => ({
    term: { id: label, kind: 'text' as const, label },
    path: [],
    conditions: [],
  }));
  const [, ...rows] = answersCsv(answers).trimEnd().split('\r\n');
  expect(rows).toEqual([
    "'=1+1,'=1+1,",
    "'+cmd,'+cmd,",
    "'-2+3,'-2+3,",
    "'@SUM(A1),'@SUM(A1),",
    `"'\t=1","'\t=1",`,
    `"'\r=1","'\r=1",`,
    "'＝1,'＝1,",
    '-5,-5,',
    '+3.25e-4,+3.25e-4,',
    'a=b,a=b,',
    `"'=HYPERLINK(""x"",""y"")","'=HYPERLINK(""x"",""y"")",`,
  ]);
});

test('commas, quotes and line breaks survive', () => {
  const term = { id: '"a"', kind: 'text', label: 'Yes, "no"\nperhaps' } as const;
  expect(answersCsv([{ term, path: [], conditions: [] }])).toBe(
    'answer,id,proof\r\n"Yes, ""no""\nperhaps","""a""",\r\n',
  );
});
