import { expect, test } from 'vitest';

import { ETD, READS } from '../core/words/strategySamples';
import { DRAFT, wantedBy } from './draft';

test('an untouched form leaves nothing out and limits nothing', () => {
  expect(wantedBy({ ...DRAFT, scorer: 'encoder', strategy: 'reads', graph: 'sample' }, READS)).toEqual({
    dataset: 'sample',
    version: null,
    format: 'discern',
    split: 'validation',
    limit: null,
    graph: 'sample',
    scorer: 'encoder',
    note: '',
    group: '',
    predictions: null,
    settings: {
      topics: 'gold',
      entity_types: true,
      constraints: true,
      search: 'branching',
      min_branches: 0,
      gold_branches_from: 0,
      perfect: false,
      strategy: 'reads',
      model_may_answer: false,
      gold: 'given',
    },
  });
});

test('what is left out, an emptied number, and graphs that come with the questions', () => {
  const left = { noTypes: true, noConditions: true, chain: true, branches: 2, goldBranches: 3, goldFromGraph: true };
  const { limit, graph, settings } = wantedBy({ ...DRAFT, ...left, limit: 0 }, READS);
  expect([limit, graph]).toEqual([null, null]);
  expect(settings).toMatchObject({ entity_types: false, constraints: false, search: 'chain' });
  expect([settings?.min_branches, settings?.gold_branches_from]).toEqual([2, 3]);
  expect(settings?.gold).toBe('from-graph');
});

test('of the options, those of the strategy are asked for, ablations too', () => {
  const { settings } = wantedBy(
    { ...DRAFT, switches: { plans: 5, candidates: 2, candidates_without: ['paths'] } },
    ETD,
  );
  expect(settings).toMatchObject({ candidates: 2, determination: 'scorer', candidates_without: ['paths'] });
  expect(settings).not.toHaveProperty('plans');
});

test('another system is asked nothing', () => {
  const theirs = { ...DRAFT, scorer: 'encoder', system: 'RoG', upload: 'the file' };
  expect(wantedBy({ ...theirs, others: true }, READS)).toMatchObject({
    scorer: null,
    predictions: { system: 'RoG', upload: 'the file' },
  });
  expect(wantedBy(theirs, READS)).toMatchObject({ scorer: 'encoder', predictions: null });
});
