import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import type {
  CandidatesRanked,
  DebateTurn,
  FrontierKept,
  PathsWeighed,
  QuestionSimplified,
  RelationRecord,
  Sufficiency,
  TermRecord,
} from '../../api/types';
import { recorded } from '../../core/events/recorded';
import Candidates from './Candidates.svelte';
import Debate from './Debate.svelte';
import Frontier from './Frontier.svelte';
import { THEATRE, TheatreModel } from '../state/model.svelte';
import SufficiencyCheck from './SufficiencyCheck.svelte';
import WeighedPaths from './WeighedPaths.svelte';
import WholePaths from './WholePaths.svelte';

const CAST: RelationRecord = { id: 'tv.cast', label: 'regular cast', context: 'tv program', reverse: false };

function entity(name: string): TermRecord {
  return { id: `m.${name}`, kind: 'entity', label: name };
}

/** The theatre of a recorded run that has ended: what panels beside facts look at. */
function ended(): Map<symbol | string, TheatreModel> {
  const model = new TheatreModel(() => true);
  model.begin(recorded('condition'), false);
  return new Map([[THEATRE, model]]);
}

const FRONTIER: FrontierKept = {
  kind: 'frontier_kept',
  hop: 1,
  of: 'plan',
  numbers: [0],
  way: [CAST],
  judge: 'sample',
  entities: [],
  kept: 0,
  dropped: 0,
  seconds: 0,
};

test('whole paths are listed with their probability, how many there are, and how many were extended', () => {
  const likeliest = [
    { relations: [CAST], probability: 0.71 },
    { relations: [CAST, { ...CAST, id: 'tv.actor', label: 'actor' }], probability: 0.2 },
  ];
  const read = { likeliest, none: 0.03, total: 356, extended: 48, extensible: 310 };
  const { container } = render(WholePaths, { read });
  const [first, second] = screen.getAllByRole('listitem');
  expect(first?.textContent).toContain('.71');
  expect(second?.textContent).toMatch(/regular cast.*→.*actor/s);
  expect(container.textContent).toContain('2 of 356 shown. No path: .03.');
  expect(container.textContent).toContain('48 of 310 paths were extended');
});

test('a frontier without entities says that the graph holds nothing there', () => {
  render(Frontier, { step: 1, frontier: FRONTIER });
  expect(screen.getByTestId('frontier').textContent).toContain('The graph has no entity there.');
});

test('a frontier lists some of its entities, says how many there are, and strikes through what was dropped', () => {
  const entities = [
    { term: entity('William Daniels'), kept: true, score: 0.9 },
    { term: entity('David Hasselhoff'), kept: false, score: 0.2 },
  ];
  const { container } = render(Frontier, { step: 1, frontier: { ...FRONTIER, entities, kept: 3, dropped: 11 } });
  expect(container.querySelector('h2')?.textContent).toContain('kept 3 of 14 entities');
  expect(container.textContent).toContain('2 of 14 entities listed.');
  const [kept, dropped] = screen.getAllByTestId('frontier-entity');
  expect(kept?.querySelector('s')).toBeNull();
  expect(dropped?.querySelector('s')?.textContent).toBe('David Hasselhoff');
  expect(dropped?.textContent).toContain('dropped');
});

test('without a judge, no score is shown', () => {
  const entities = [{ term: entity('William Daniels'), kept: true, score: 1 }];
  const { container } = render(Frontier, { step: 1, frontier: { ...FRONTIER, judge: '', entities, kept: 1 } });
  expect(screen.getByTestId('frontier-entity').textContent.trim()).toBe('William Daniels');
  expect(container.querySelector('.bar')).toBeNull();
});

const WEIGHED: PathsWeighed = { kind: 'paths_weighed', paths: [], total: 0, seconds: 0 };

test('no paths, or more paths than are shown, are reported', () => {
  const { unmount } = render(WeighedPaths, { step: 2, weighed: WEIGHED });
  expect(screen.getByTestId('weighed-paths').textContent).toContain('No plan leads to a possible answer.');
  unmount();

  const path = { target: entity('William Daniels'), plan: 0, plan_weight: 0.5, scores: [0.8], weight: 0.4, facts: [] };
  const { container } = render(WeighedPaths, { step: 2, weighed: { ...WEIGHED, paths: [path], total: 1200 } });
  expect(container.textContent).toContain('1,199 paths more, of 1,200.');
  expect(screen.getByTestId('factors').textContent).toContain('plan 0.5, entities 0.8');
});

const RANKED: CandidatesRanked = { kind: 'candidates_ranked', candidates: [], total: 0, threshold: 0.3, seconds: 0 };

test('a missing candidate is reported, and one below the threshold is no answer', () => {
  const { unmount } = render(Candidates, { props: { step: 3, ranked: RANKED }, context: ended() });
  expect(screen.getByTestId('candidates').textContent).toContain('No possible answer was reached.');
  unmount();

  const named = (name: string, weight: number, paths: number) => ({
    term: entity(name),
    position: 1,
    weight,
    weights: [],
    path: [],
    paths,
  });
  const overruled = { ...named('Glen Larson', 0.5, 1), overruled: true as const };
  const candidates = [named('William Daniels', 0.6, 4), overruled, named('David Hasselhoff', 0.1, 1)];
  render(Candidates, { props: { step: 3, ranked: { ...RANKED, candidates, total: 3 } }, context: ended() });
  const [answer, reading, other] = screen.getAllByTestId('candidate');
  expect(answer?.textContent).toContain('4 paths lead here; the one with the highest weight is shown.');
  expect(answer?.textContent).not.toContain('no answer');
  expect(reading?.textContent).toContain('not an answer: belongs to another reading of the question');
  expect(other?.textContent).toMatch(/no answer(?!:)/);
});

const TRIED: Sufficiency = {
  kind: 'sufficiency',
  by: 'scorer',
  round: 1,
  question: 'who voices KITT',
  enough: false,
  share: 0.03,
  positions: [1],
  facts_total: 40,
  cost: null,
  seconds: 0,
};

test('a try says whether it was enough, how sure that is, and from how many facts', () => {
  const { container, unmount } = render(SufficiencyCheck, { props: { step: 2, tried: TRIED }, context: ended() });
  expect(container.querySelector('h2')?.textContent).toContain('Not enough yet for “who voices KITT”');
  expect(screen.getByTestId('tried-share').textContent).toContain('the facts are enough with a probability of 3 %');
  expect(container.textContent).toContain('From 40 facts');
  expect(container.textContent).toMatch(/\d+ of 40 facts listed/);
  unmount();

  const wrote = { ...TRIED, by: 'writer' as const, enough: true, share: null, positions: [7], facts_total: 0 };
  const written = render(SufficiencyCheck, { props: { step: 2, tried: wrote }, context: ended() });
  expect(written.container.querySelector('h2')?.textContent).toMatch(/Enough to answer .*, a model wrote/);
  expect(screen.queryByTestId('tried-share')).toBeNull();
  expect(screen.getByTestId('facts-beside').textContent).toContain('The event log does not list them.');
});

const SIMPLIFIED: QuestionSimplified = {
  kind: 'question_simplified',
  by: 'writer',
  round: 1,
  before: 'who voices KITT in Knight Rider',
  after: 'who voices KITT in these 12 programs',
  removed: [[19, 31]],
  topic: [19, 36],
  relation: CAST,
  position: 1,
  seconds: 0,
};

function turn(role: DebateTurn['role'], text: string, at: number, more: Partial<DebateTurn> = {}): DebateTurn {
  return {
    kind: 'debate_turn',
    by: 'writer',
    round: 1,
    turn: at,
    role,
    text,
    length: text.length,
    seconds: 0,
    ...more,
  };
}

test('a debate is a dialogue of its own round, with the number of cut facts, between the question before and after', () => {
  const turns = [
    turn('simplifier', 'who voices KITT', 0, { length: 900 }),
    turn('critic', 'a topic is missing', 1),
    turn('linguist', 'of a later round', 2, { round: 2 }),
  ];
  render(Debate, { props: { step: 3, simplified: SIMPLIFIED, turns }, context: ended() });
  expect(screen.getByTestId('question-before').querySelector('s')?.textContent).toBe('Knight Rider');
  expect(screen.getByTestId('question-after').querySelector('u')?.textContent).toBe('these 12 programs');
  const said = screen.getAllByTestId('debate-turn');
  expect(said.map((each) => each.querySelector('span')?.textContent)).toEqual(['Simplifier', 'Critic']);
  expect(said[0]?.textContent).toContain('the first 15 of 900 characters');
});

test('a debate without statements says so, and its facts can be gone to', async () => {
  const context = ended();
  render(Debate, { props: { step: 3, simplified: SIMPLIFIED, turns: [] }, context });
  expect(screen.getByTestId('debate').textContent).toContain('No contributions.');
  const [fact] = screen.getByTestId('facts-beside').querySelectorAll('button');
  if (!fact) throw new Error('no fact is listed');
  await fireEvent.click(fact);
  expect(context.get(THEATRE)?.view.search).toMatch(/node=1:m\./);
});
