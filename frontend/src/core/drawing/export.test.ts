import { expect, test } from 'vitest';

import { answersCsv, factsCsv, factsGexf, factsGraphml, factsJson, type TakenFacts } from './export';
import { RECORDED, recorded } from '../events/recorded';
import { EMPTY, fold } from '../events/run';

test('answers leave with their ids and proofs', () => {
  const whole = fold(recorded('several_answers'));
  const { end } = whole;
  if (end?.kind !== 'finished') throw new Error('the run has no answers');
  const [head, ...rows] = answersCsv(whole, end.answers).trimEnd().split('\r\n');
  expect(head).toBe('answer,id,proof,proof in words');
  expect(rows).toHaveLength(2);
  expect(rows[1]).toMatch(/^Jamaican English,/);
});

test('where it was asked how many, the number comes first', () => {
  const whole = fold(recorded('counted'));
  const { end } = whole;
  if (end?.kind !== 'finished') throw new Error('the run has no answers');
  const [, number, ...rows] = answersCsv(whole, end.answers).trimEnd().split('\r\n');
  expect(number).toBe('3,"""3""^^xsd:integer",,how many; they follow');
  expect(rows).toHaveLength(3);
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
  const [, ...rows] = answersCsv(EMPTY, answers).trimEnd().split('\r\n');
  expect(rows).toEqual([
    "'=1+1,'=1+1,,",
    "'+cmd,'+cmd,,",
    "'-2+3,'-2+3,,",
    "'@SUM(A1),'@SUM(A1),,",
    `"'\t=1","'\t=1",,`,
    `"'\r=1","'\r=1",,`,
    "'＝1,'＝1,,",
    '-5,-5,,',
    '+3.25e-4,+3.25e-4,,',
    'a=b,a=b,,',
    `"'=HYPERLINK(""x"",""y"")","'=HYPERLINK(""x"",""y"")",,`,
  ]);
});

test('commas, quotes and line breaks survive', () => {
  const term = { id: '"a"', kind: 'text', label: 'Yes, "no"\nperhaps' } as const;
  expect(answersCsv(EMPTY, [{ term, path: [], conditions: [] }])).toBe(
    'answer,id,proof,proof in words\r\n"Yes, ""no""\nperhaps","""a""",,\r\n',
  );
});

test('an answer leaves with the words that prove it', () => {
  const whole = fold(recorded('condition'));
  if (whole.end?.kind !== 'finished') throw new Error('the run has no answers');
  const [, row] = answersCsv(whole, whole.end.answers).split('\r\n');
  expect(row).toContain('Knight Rider ─ regular cast → ◦ ─ actor → William Daniels, because character is KITT');
});

function taken(name: string, of: number): TakenFacts {
  const { facts } = fold(recorded(name));
  return { question: 'who & "what"?', graph: 'Sample', facts: facts.map((fact) => ({ fact, note: '' })), of };
}

test('facts leave the way round that the graph holds them', () => {
  const reversed = [...RECORDED.keys()].find((name) =>
    fold(recorded(name)).facts.some(({ relation }) => relation.reverse),
  );
  const facts = taken(reversed ?? '', 0);
  const [head, ...rows] = factsCsv(facts).trimEnd().split('\r\n');
  expect(head).toBe('subject,subject id,relation,relation id,object,object id,step,note');
  expect(rows).toHaveLength(facts.facts.length);
  expect(factsCsv(facts)).not.toContain('^');
  const at = facts.facts.findIndex(({ fact }) => fact.relation.reverse);
  const fact = facts.facts[at]?.fact;
  expect(rows[at]).toContain(`${fact?.target.id},`);
  expect(rows[at]?.indexOf(fact?.target.id ?? '?')).toBeLessThan(rows[at]?.lastIndexOf(fact?.source.id ?? '?') ?? -1);
});

test('JSON and GraphML say how much they hold', () => {
  const facts = taken('condition', 4310);
  const document = JSON.parse(factsJson(facts)) as { facts: number; of: number; complete: boolean; triples: unknown[] };
  expect(document).toMatchObject({ facts: facts.facts.length, of: 4310, complete: false });
  expect(document.triples).toHaveLength(facts.facts.length);
  expect(factsGraphml(facts)).toContain(`${facts.facts.length} of 4,310 facts`);
  expect(factsGraphml(facts)).toContain('who &amp; &quot;what&quot;?');
});

test('edges of GraphML have a label, and relations of GEXF are kinds', () => {
  const facts = taken('condition', 4310);
  const { relation } = facts.facts[0]?.fact ?? {};
  const predicate = relation?.id.replace(/^\^/, '');
  expect(factsGraphml(facts)).toContain(`<data key="edge label">${relation?.label}</data>`);
  const gexf = factsGexf(facts);
  expect(gexf.match(/<edge /g)).toHaveLength(facts.facts.length);
  expect(gexf).toContain(`kind="${predicate}" label="${relation?.label}"`);
  expect(gexf).toContain(`who &amp; &quot;what&quot;? — Sample — ${facts.facts.length} of 4,310 facts`);
});
