import { describe, expect, it } from 'vitest';

import type { EvaluationDetailOut } from '../api/types';
import { comparedFigures, correctedFigures, figureGroups, stageRows } from './figures';

type Figures = NonNullable<EvaluationDetailOut['figures']>;

const answered = {
  questions: 8,
  hit: 0.75,
  hits_at_1: 0.5,
  exact_match: 0.25,
  precision: 0.6,
  recall: 0.7,
  macro_f1: 0.625,
  paper_f1: 0.646,
  turned_away: 0.125,
};

function figures(changes: Partial<Figures> = {}): Figures {
  return {
    topics: 'gold',
    graph: 'Sample',
    compared_by: 'id',
    questions: 8,
    all: answered,
    answerable: answered,
    in_graph: null,
    reachable: null,
    graph_gap: { questions: 3, topic_not_in_graph: 1, turned_away: null },
    unanswerable: { questions: 0, recognised: 0 },
    cases: { C1: 4, E1: 1 },
    search: { graph_hits: 0.8, with_gold_derivation: 5, relation_recall: 0.9, edit_distance: 1.25, same_graph: 0.4 },
    by_shape: [],
    reasons: {},
    failed: 0,
    without_gold_derivation: {},
    linking: null,
    cost: { calls: 6.5, tokens_in: 1234.5, tokens_out: 0, stages: null },
    seconds: { mean: 0.2, p95: 0.5, longest: 0.9, stages: { link: 0.01, search: 0.15, prune: 0.02, infer: 0.02 } },
    ...changes,
  };
}

describe('the figures', () => {
  it('are formatted, and unknown ones are left out', () => {
    const values = new Map(
      figureGroups(figures()).flatMap((group) => group.figures.map(({ title, value }) => [title, value])),
    );
    expect(values.get('Hits@1')).toBe('50.0 %');
    expect(values.get('Edit distance')).toBe('1.25');
    expect(values.get('Tokens in')).toBe('1,235');
    expect(values.get('Graph gap')).toBe('3 of 8');
    expect(values.get('Seconds')).toBe('0.20 s');
    expect(values.has('Right topics')).toBe(false);
    expect(values.has('Hits@1 in graph')).toBe(false);
    expect(values.has('Without an answer')).toBe(false);
    expect(figureGroups(null)).toEqual([]);
  });

  it('stand by the questions that they speak of, and open those that are counted apart', () => {
    const groups = figureGroups(
      figures({ in_graph: { ...answered, questions: 5 }, unanswerable: { questions: 4, recognised: 3 } }),
    );
    expect(groups.map(({ title }) => title)).toEqual([
      'All 8 questions',
      'The 5 questions with an answer in this graph',
      'Counted separately',
      'Cost per question',
    ]);
    const reached = figureGroups(
      figures({ reachable: { ...answered, questions: 3, perfect_hits_at_1: 1, perfect_f1: 0.8, of_perfect: 0.9 } }),
    ).find(({ title }) => title === 'The 3 questions whose answers are within reach');
    expect(reached?.figures.map(({ value }) => value)).toContain('90.0 %');
    const apart = new Map(groups[2]?.figures.map((figure) => [figure.title, figure]));
    expect(apart.get('Graph gap')?.filter).toEqual({ graph_gap: true, answerable: true });
    expect(apart.get('Without an answer')).toMatchObject({ value: '3 of 4', filter: { answerable: false } });
    expect(apart.get('Failed')).not.toHaveProperty('filter');
  });

  it('show the cost of each stage, if it was counted', () => {
    expect(stageRows(null)).toEqual([]);
    expect(stageRows(figures())).toEqual([]);
    const stage = { calls: 1.5, tokens_in: 300, tokens_out: 0 };
    const stages = { link: stage, search: { ...stage, calls: 2 }, prune: stage, infer: stage };
    const rows = stageRows(figures({ cost: { ...figures().cost, stages } }));
    expect(rows.map((row) => row.stage)).toEqual(['Begin', 'Search', 'Prune', 'Answer', 'All']);
    expect(rows[1]).toEqual({ stage: 'Search', calls: 2, tokensIn: 300, tokensOut: 0, seconds: 0.15 });
    expect(rows.at(-1)).toMatchObject({ calls: 6.5, seconds: 0.2 });
  });

  it('of two evaluations show the difference, and which one is better', () => {
    const second = figures({
      all: { ...answered, hits_at_1: 0.625 },
      search: { ...figures().search, edit_distance: 2 },
      cost: { calls: 7, tokens_in: 1234.5, tokens_out: 0, stages: null },
    });
    const rows = new Map(comparedFigures(figures(), second).map((row) => [row.title, row]));
    expect(rows.get('Hits@1')).toMatchObject({ first: '50.0 %', second: '62.5 %', difference: '+12.5', better: true });
    expect(rows.get('Edit distance')).toMatchObject({ difference: '+0.75', better: false });
    expect(rows.get('Model calls')).toMatchObject({ difference: '+0.5', better: null });
    expect(rows.get('Hit')).toMatchObject({ difference: '±0.0', better: null });
  });

  it('by corrected labels leave out what questions cost', () => {
    const second = figures({ all: { ...answered, hits_at_1: 0.625 } });
    const titles = correctedFigures(figures(), second).map(({ title }) => title);
    expect(titles).toContain('Hits@1');
    expect(titles).not.toContain('Model calls');
    expect(correctedFigures(null, second)).toEqual([]);
  });
});
