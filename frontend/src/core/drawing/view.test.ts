import { expect, test } from 'vitest';

import { PANES, TAKEN_OUT, VIEW, readView, selectedPosition, writeView, type View } from './view';

test('what is looked at until someone chooses needs no words', () => {
  expect(writeView(VIEW)).toBe('');
  expect(readView('')).toEqual(VIEW);
});

const views: readonly Partial<View>[] = [
  { step: 0 },
  { step: 5, node: '2' },
  { node: '3:en.kitt' },
  { node: '2:"2011-02-06"^^xsd:date' },
  { answer: 4, facts: 'table', tab: 'graphs' },
  { answer: 1, proof: 2 },
  { panes: { left: 260, right: 400, top: null } },
  { panes: { ...PANES, top: 55 } },
  { whole: 'facts' },
  { folds: { decisions: true, options: false } },
  { hidden: new Set(['2', TAKEN_OUT]) },
  { pins: new Map([['2:"a, b"@en', { x: -1.25, y: 3 }]]) },
];

test.each(views)('%o survives the address', (change) => {
  const view = { ...VIEW, ...change };
  expect(readView(writeView(view))).toEqual(view);
});

test('steps and answers count from one in the address', () => {
  expect(writeView({ ...VIEW, step: 1, answer: 2 })).toBe('?step=2&answer=3');
});

test.each([
  '?step=-1',
  '?step=two',
  '?step=0',
  '?answer=0',
  '?facts=pie',
  '?tab=9',
  '?panes=wide',
  '?other=1',
  '?pane=all',
  '?hide=x',
  '?pin=here',
])('%s means nothing', (search) => {
  expect(readView(search)).toEqual(VIEW);
});

test('panes stay within what can be used', () => {
  expect(readView('?panes=1-9999-99').panes).toEqual({ left: 220, right: 520, top: 75 });
});

test('a selection stands at a position', () => {
  expect(selectedPosition('3:en.kitt')).toBe(3);
  expect(selectedPosition('2')).toBe(2);
  expect(selectedPosition('somewhere')).toBeNull();
  expect(selectedPosition(null)).toBeNull();
});
