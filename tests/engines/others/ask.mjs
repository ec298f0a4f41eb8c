// Asks Comunica. A line of standard input is a file, a tab and a query in Base64; a line of standard output is "ok" or
// "fault", a tab, and SPARQL's JSON results or the message in Base64.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { QueryEngine } from '@comunica/query-sparql-rdfjs';
import { Store, StreamParser } from 'n3';

const engine = new QueryEngine();
const stores = new Map();

function storeOf(file) {
  if (!stores.has(file)) {
    const store = new Store();
    stores.set(
      file,
      new Promise((resolve, reject) => {
        const quads = createReadStream(file).pipe(new StreamParser({ format: 'N-Triples' }));
        quads.on('error', reject);
        store.import(quads).on('end', () => resolve(store)).on('error', reject);
      }),
    );
  }
  return stores.get(file);
}

async function ask(file, query) {
  const result = await engine.query(query, { sources: [await storeOf(file)] });
  const { data } = await engine.resultToString(result, 'application/sparql-results+json');
  const parts = [];
  for await (const part of data) parts.push(part);
  return parts.join('');
}

for await (const line of createInterface({ input: process.stdin })) {
  const [file, query] = line.split('\t');
  let said;
  try {
    said = ['ok', await ask(file, Buffer.from(query, 'base64').toString())];
  } catch (fault) {
    said = ['fault', String(fault)];
  }
  process.stdout.write(`${said[0]}\t${Buffer.from(said[1]).toString('base64')}\n`);
}
