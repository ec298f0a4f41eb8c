import { expect, test } from 'vitest';

import { DRAFT, wantedBy } from './draft';

test('an untouched form leaves nothing out and limits nothing', () => {
  expect(wantedBy({ ...DRAFT, scorer: 'encoder', strategy: 'reads', graph: 'sample' })).toEqual({
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
      width: 3,
      candidates: 3,
      determination: 'scorer',
      plans: 3,
      planner: 'scorer',
      reasoner: 'rank',
      rounds: 3,
      debate: 'rule',
      debaters: '3',
      depth: 3,
      sufficiency: 'scorer',
      relations: 3,
      entities: 300,
      predictor: 'rank',
      evidence_without: [],
      candidates_without: [],
      model_may_answer: false,
      gold: 'given',
    },
  });
});

test('what is left out, an emptied number, and graphs that come with the questions', () => {
  const { limit, graph, settings } = wantedBy({
    ...DRAFT,
    limit: 0,
    noTypes: true,
    noConditions: true,
    chain: true,
    branches: 2,
    goldBranches: 3,
    goldFromGraph: true,
  });
  expect([limit, graph]).toEqual([null, null]);
  expect(settings).toMatchObject({ entity_types: false, constraints: false, search: 'chain' });
  expect([settings?.min_branches, settings?.gold_branches_from]).toEqual([2, 3]);
  expect(settings?.gold).toBe('from-graph');
});

test('another system is asked nothing', () => {
  const theirs = { ...DRAFT, scorer: 'encoder', system: 'RoG', upload: 'the file' };
  expect(wantedBy({ ...theirs, others: true })).toMatchObject({
    scorer: null,
    predictions: { system: 'RoG', upload: 'the file' },
  });
  expect(wantedBy(theirs)).toMatchObject({ scorer: 'encoder', predictions: null });
});
