/** What can be taken away from a run, as tables and graphs that other programs read. */
import type { AnswerRecord, FactRecord, TermRecord } from '../../api/types';
import { letterOf } from './palette';
import { proofWords } from '../events/proof';
import type { RunState } from '../events/run';
import { number, plural } from '../words/format';

/** A fact of a run, whichever part of it is drawn. */
export interface TakenFact {
  readonly fact: FactRecord;
  /** Why it was taken out, or what it proves. */
  readonly note: string;
}

/** The facts of a run, and of how many. */
export interface TakenFacts {
  readonly question: string;
  readonly graph: string;
  readonly facts: readonly TakenFact[];
  /** How many facts the graph holds along the way; more than there are here where a limit cut them. */
  readonly of: number;
}

/** The answers as CSV: label, id, the facts that prove each, and the same in words; first how many, if that was asked. */
export function answersCsv(whole: RunState, answers: readonly AnswerRecord[]): string {
  const rows = answers.map((answer) => [
    answer.term.label,
    answer.term.id,
    [...answer.path, ...answer.conditions]
      .map(({ source, relation, target }) => `${source.id} ${relation.id} ${target.id}`)
      .join('; '),
    proofWords(whole, answer),
  ]);
  const counted = whole.end?.kind === 'finished' ? (whole.end.count ?? null) : null;
  const total = counted === null ? [] : [[String(counted), `"${counted}"^^xsd:integer`, '', 'how many; they follow']];
  return csv([['answer', 'id', 'proof', 'proof in words'], ...total, ...rows]);
}

/** A fact the way round that the graph holds it, whichever way it was followed. */
function tripleOf({ source, relation, target }: FactRecord) {
  const predicate = relation.id.replace(/^\^/, '');
  return relation.reverse
    ? { subject: target, predicate, object: source }
    : { subject: source, predicate, object: target };
}

const FACT_COLUMNS = ['subject', 'subject id', 'relation', 'relation id', 'object', 'object id', 'step', 'note'];

/** The facts as CSV, each the way round that the graph holds it. */
export function factsCsv({ facts }: TakenFacts): string {
  const rows = facts.map(({ fact, note }) => {
    const { subject, predicate, object } = tripleOf(fact);
    const { label } = fact.relation;
    return [subject.label, subject.id, label, predicate, object.label, object.id, String(fact.position), note];
  });
  return csv([FACT_COLUMNS, ...rows]);
}

/** "12 facts", or "200 of 4,310 facts" where some are missing. */
export function shareWords(count: number, of: number): string {
  return count < of ? `${number(count)} of ${plural(of, 'fact')}` : plural(count, 'fact');
}

/** The facts as JSON. */
export function factsJson({ question, graph, facts, of }: TakenFacts): string {
  const triples = facts.map(({ fact, note }) => ({
    ...tripleOf(fact),
    label: fact.relation.label,
    step: fact.position,
    note,
  }));
  return JSON.stringify({ question, graph, facts: facts.length, of, complete: facts.length >= of, triples }, null, 2);
}

/** What is drawn of the facts: every term once, with the groups of all places that it has. */
function termsOf(facts: readonly TakenFact[]) {
  const terms = new Map<string, { readonly term: TermRecord; readonly groups: Set<string> }>();
  const add = (term: TermRecord, group: string | null) => {
    const known = terms.get(term.id) ?? { term, groups: new Set<string>() };
    if (group !== null) known.groups.add(group);
    terms.set(term.id, known);
  };
  for (const { fact } of facts) {
    add(fact.source, null);
    add(fact.target, letterOf(fact.position));
  }
  return [...terms].map(([id, { term, groups }]) => ({ id, term, groups: [...groups].sort().join(' ') }));
}

/** The facts as GraphML. */
export function factsGraphml({ question, graph, facts, of }: TakenFacts): string {
  const data = (key: string, value: string) => `<data key="${key}">${written(value)}</data>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ...['question', 'graph', 'share'].map((name) => keyOf(name, 'graph', 'string')),
    ...['label', 'kind', 'groups'].map((name) => keyOf(name, 'node', 'string')),
    // Programs draw what an edge calls its label; an id of its own, as nodes have one too.
    '<key id="edge label" for="edge" attr.name="label" attr.type="string"/>',
    ...['relation', 'predicate', 'note'].map((name) => keyOf(name, 'edge', 'string')),
    keyOf('step', 'edge', 'int'),
    '<graph edgedefault="directed">',
    data('question', question) + data('graph', graph) + data('share', shareWords(facts.length, of)),
    ...termsOf(facts).map(
      ({ id, term, groups }) =>
        `<node id="${written(id)}">${data('label', term.label)}${data('kind', term.kind)}${data('groups', groups)}</node>`,
    ),
    ...facts.map(({ fact, note }) => {
      const { subject, predicate, object } = tripleOf(fact);
      const held =
        data('edge label', fact.relation.label) +
        data('relation', fact.relation.label) +
        data('predicate', predicate) +
        data('step', String(fact.position)) +
        data('note', note);
      return `<edge id="${fact.id}" source="${written(subject.id)}" target="${written(object.id)}">${held}</edge>`;
    }),
    '</graph>',
    '</graphml>\n',
  ].join('\n');
}

/** The facts as GEXF 1.3. Each relation is a kind of edges of its own, so that Gephi merges no two of them. */
export function factsGexf({ question, graph, facts, of }: TakenFacts): string {
  const attributes = (owner: string, types: Readonly<Record<string, string>>) => [
    `<attributes class="${owner}">`,
    ...Object.entries(types).map(([name, type]) => `<attribute id="${name}" title="${name}" type="${type}"/>`),
    '</attributes>',
  ];
  const values = (held: Readonly<Record<string, string>>) =>
    `<attvalues>${Object.entries(held)
      .map(([name, value]) => `<attvalue for="${name}" value="${written(value)}"/>`)
      .join('')}</attvalues>`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<gexf xmlns="http://gexf.net/1.3" version="1.3">',
    `<meta><creator>Discern</creator><description>${written(
      [question, graph, shareWords(facts.length, of)].filter(Boolean).join(' — '),
    )}</description></meta>`,
    '<graph mode="static" defaultedgetype="directed">',
    ...attributes('node', { type: 'string', groups: 'string' }),
    ...attributes('edge', { relation: 'string', predicate: 'string', step: 'integer', note: 'string' }),
    '<nodes>',
    ...termsOf(facts).map(
      ({ id, term, groups }) =>
        `<node id="${written(id)}" label="${written(term.label)}">${values({ type: term.kind, groups })}</node>`,
    ),
    '</nodes>',
    '<edges>',
    ...facts.map(({ fact, note }) => {
      const { subject, predicate, object } = tripleOf(fact);
      const { label } = fact.relation;
      const ends = `source="${written(subject.id)}" target="${written(object.id)}"`;
      const held = values({ relation: label, predicate, step: String(fact.position), note });
      return `<edge id="${fact.id}" ${ends} kind="${written(predicate)}" label="${written(label)}">${held}</edge>`;
    }),
    '</edges>',
    '</graph>',
    '</gexf>\n',
  ].join('\n');
}

/** The forms in which facts can be taken away: what it is called, the file's ending, its type, and how it is written. */
export const FACT_FORMS = [
  ['CSV', 'csv', 'text/csv', factsCsv],
  ['GraphML', 'graphml', 'application/xml', factsGraphml],
  ['GEXF', 'gexf', 'application/xml', factsGexf],
  ['JSON', 'json', 'application/json', factsJson],
] as const;

function keyOf(name: string, owner: string, type: string): string {
  return `<key id="${name}" for="${owner}" attr.name="${name}" attr.type="${type}"/>`;
}

/** A text within XML; what XML cannot hold is left out. */
export function written(text: string): string {
  return text
    .replace(NOT_XML, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const NOT_XML =
  // eslint-disable-next-line no-control-regex -- the characters that XML 1.0 does not allow
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/**
 * A table as CSV (RFC 4180).
 *
 * A spreadsheet would take a cell that begins like a formula for one, and a name may begin so: such a cell gets an
 * apostrophe before it, as OWASP says. A number stays a number.
 */
function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(cell).join(',') + '\r\n').join('');
}

function cell(value: string): string {
  const harmless = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return /[",\r\n\t]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
