/** The pages use the components of the kit instead of elements that each would style by itself. */
import { expect, test } from 'vitest';

const SOURCES = import.meta.glob<string>('../**/*.svelte', { query: '?raw', import: 'default', eager: true });

/** Grids and charts in the form of a table. Their cells are chosen, sorted, coloured or stacked on a phone. */
const GRIDS = [
  '../explore/DrawnTables.svelte',
  '../graph/FactsTable.svelte',
  '../labelling/agreement/PeopleMatrix.svelte',
  '../labelling/agreement/StageFigures.svelte',
  '../labelling/log/LogPage.svelte',
  '../labelling/projects/Progress.svelte',
  '../review/case/GoldAndPrediction.svelte',
  '../review/queue/ProposalAgreement.svelte',
  '../shell/Keys.svelte',
];

test.each([
  ['button', []],
  ['table', GRIDS],
])('no component outside the kit has a raw <%s>', (element, exceptions) => {
  const pages = Object.entries(SOURCES).filter(([file]) => !file.startsWith('./'));
  expect(pages.length).toBeGreaterThan(100);
  const files = pages.filter(([, source]) => new RegExp(`<${element}\\b`).test(source)).map(([file]) => file);
  expect(files.toSorted()).toEqual(exceptions);
});
