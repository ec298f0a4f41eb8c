import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import type { AnswerRecord, Finished, RunEventOut } from '../../api/types';
import { recorded } from '../../core/events/recorded';
import Answer from './Answer.svelte';
import { THEATRE, TheatreModel } from '../state/model.svelte';

/** The answer panel of a recorded run, with another end. */
function shows(name: string, change: (finished: Finished) => Partial<Finished> = () => ({})): TheatreModel {
  const model = new TheatreModel(() => true);
  const events = recorded(name).map(({ seq, event }): RunEventOut =>
    event.kind === 'finished' ? { seq, event: { ...event, ...change(event) } } : { seq, event },
  );
  model.begin(events, false);
  render(Answer, {
    props: { allowed: [], onaskagain: () => undefined },
    context: new Map([[THEATRE, model]]),
  });
  return model;
}

function weighted({ answers }: Finished): Partial<Finished> {
  const [first] = answers;
  if (!first) throw new Error('the run has no answer');
  const proof = (weight: number, facts: AnswerRecord['path']) => ({ facts, weight, measure: 'attention' as const });
  const evidence = [proof(0.6, first.path), proof(0.2314, first.path.slice(0, 1))];
  return { answers: [{ ...first, weight: 0.8321, evidence }] };
}

test('a weighted answer shows its weight, and one of its proofs at a time', async () => {
  const model = shows('condition', weighted);
  expect(screen.getByTestId('answer-item').textContent).toMatch(/William Daniels\s*0.832/);
  expect(screen.getByTestId('proofs').textContent).toMatch(/proof 1 of 2, attention\s*0.6/);
  expect(screen.getByTestId('answer-path').textContent).toMatch(/regular cast.*actor/s);
  expect(model.facts.proof.size).toBe(3);

  await fireEvent.click(screen.getByLabelText('The next proof'));
  expect(screen.getByTestId('proofs').textContent).toMatch(/proof 2 of 2, attention\s*0.231/);
  expect(screen.getByTestId('answer-path').textContent).not.toMatch(/actor.*because/s);
  expect(model.facts.proof.size).toBe(2);
  expect(model.view.search).toContain('proof=2');
});

test('an answer of the model itself is marked, and has no proof', () => {
  shows('condition', ({ answers }) => ({
    verdict: 'from_the_model',
    reason: 'from_the_model',
    answers: answers.map((each) => ({ ...each, path: [], conditions: [] })),
  }));
  expect(screen.getByTestId('answer-item').textContent).toContain('William Daniels');
  expect(screen.getByTestId('from-the-model').textContent).toMatch(/No fact of the graph supports it/);
  expect(screen.queryByTestId('answer-path')).toBeNull();
});

test('where it was asked how many, the number comes first and what was counted below it', () => {
  shows('counted');
  expect(screen.getByTestId('answer-number').textContent).toBe('3');
  expect(screen.getByTestId('counted').textContent.trim()).toBe('Counted; the list shows 3 of 3.');
  expect(screen.getAllByTestId('answer-item')).toHaveLength(3);
  expect(screen.queryByTestId('unused-words')).toBeNull();
});

test('where one thing was counted, or none is, the list says so', () => {
  shows('counted', ({ answers }) => ({ answers: answers.slice(0, 1), answers_total: 1, count: 1 }));
  expect(screen.getByTestId('answer-number').textContent).toBe('1');
  expect(screen.getByTestId('counted').textContent.trim()).toBe('Counted; the list shows 1 of 1.');
});

test('where a step was cut, the number is shown as a minimum', () => {
  shows('counted', () => ({ count_at_least: true }));
  expect(screen.getByTestId('counted').textContent.trim()).toBe(
    'At least this number, because a step was cut; the list shows 3 of 3.',
  );
});

test('a run that stopped before a decision shows what is open', () => {
  shows('undecided');
  expect(screen.getByTestId('answer').textContent).toContain('Stopped before a decision');
  expect(screen.getByTestId('open-decision').textContent).toMatch(/which node holds the answer · 1 option\s*character/);
});

test('other readings, unused words and the confidence stand beneath the answer', () => {
  shows('readings', () => ({ unused_words: [[23, 27]] }));
  expect(screen.getByTestId('confidence').textContent).toContain('Confidence 26 %');
  expect(screen.getByTestId('unused-words').textContent).toBe('Not taken into account: “KITT”');
  expect(screen.getByTestId('other-readings').textContent).toMatch(/2 other readings/);
  expect(screen.getAllByTestId('other-reading').map((each) => each.textContent.replace(/\s+/g, ' ').trim())).toEqual([
    '.16 KITT no answer found',
    '.05 Knight Rider → regular cast → actor David Hasselhoff, Edward Mulhare, William Daniels',
  ]);
});

test('the decision that the model was the least sure of is named, and leads there', async () => {
  const model = shows('condition');
  expect(screen.getByTestId('confidence').textContent).toContain('Confidence 26 %');
  expect(screen.getByTestId('weakest').textContent).toBe('Weakest step: begin at Knight Rider (80 %)');
  await fireEvent.click(screen.getByTestId('weakest'));
  expect(model.playback.step).toBe(0);
});

test('a number has its unit, namesakes what distinguishes them, and a proof the time that met two conditions', () => {
  const relation = { id: 'people.person.height_meters', label: 'height', context: 'person', reverse: false, unit: 'm' };
  const date = (id: string) => ({ id, label: id, kind: 'date' }) as const;
  shows('several_answers', ({ answers: [first] }) => {
    if (!first?.path[0]) throw new Error('the run has no answer');
    const [fact] = first.path;
    const number = { id: '"1.85"^^xsd:decimal', label: '1.85', kind: 'number' } as const;
    return {
      answers: [
        { ...first, term: number, path: [{ ...fact, relation, target: number }] },
        { ...first, hint: 'film · initial release date: 1999', conditions: [{ ...fact, target: date('2008') }] },
      ],
      answers_total: 2,
    };
  });
  const items = screen.getAllByTestId('answer-item').map((each) => each.textContent.replace(/\s+/g, ' ').trim());
  expect(items[0]).toBe('1.85 m');
  expect(items[1]).toMatch(/film · initial release date: 1999$/);
  expect(screen.getByTestId('answer-path').textContent).toContain('1.85 m');
});

test('the facts that prove the chosen answer are drawn, though its step listed none of them', async () => {
  const model = shows('several_answers');
  const facts = model.run.events.map(({ seq, event }): RunEventOut =>
    event.kind === 'search_step' ? { seq, event: { ...event, facts: [] } } : { seq, event },
  );
  model.begin(facts, false);
  const drawn = () => model.facts.shown.map(({ fact }) => fact.target.label);
  const [first, second] = model.answers.listed.map(({ term }) => term.label);
  expect(drawn()).toEqual([first]);
  await fireEvent.click(screen.getAllByTestId('answer-item')[1] ?? document.body);
  expect(drawn()).toEqual([second]);
  model.facts.placeNew();
  expect(model.facts.placement.points.size).toBe(3);
});

test('a run without an answer offers what came next, or to drop the condition that left nothing', async () => {
  const asked: unknown[] = [];
  const offers = (name: string) => {
    const model = new TheatreModel(() => true);
    model.begin(recorded(name), false);
    return render(Answer, {
      props: { allowed: [], onaskagain: () => undefined, onchange: (change: unknown) => asked.push(change) },
      context: new Map([[THEATRE, model]]),
    });
  };
  const none = offers('no_relation');
  expect(screen.getByTestId('ways-on').textContent.replace(/\s+/g, ' ')).toContain(
    '80 % sure that no option leads to an answer.',
  );
  expect(screen.getByTestId('answer').textContent.match(/80 %/g)).toHaveLength(1);
  await fireEvent.click(screen.getByText('number of seasons (7 %)'));
  none.unmount();
  offers('conditions_leave_nothing');
  await fireEvent.click(screen.getByText('Remove the condition: start date is in 1950'));
  expect(asked).toMatchObject([
    { kind: 'replace', stage: 'search', choice: { relation: 'tv.tv_program.number_of_seasons' } },
    { kind: 'remove', stage: 'prune', number: 0 },
  ]);
});

test('a topic that was nearly chosen is asked about by a click', async () => {
  const asked: unknown[] = [];
  const events = structuredClone(recorded('condition'));
  for (const { event } of events) {
    if (event.kind === 'entity_linked') event.decision?.options.forEach((option) => (option.probability = 0.5));
  }
  const model = new TheatreModel(() => true);
  model.begin(events, false);
  render(Answer, {
    props: { allowed: [], onaskagain: () => undefined, onchange: (change: unknown) => asked.push(change) },
    context: new Map([[THEATRE, model]]),
  });
  expect(screen.getByTestId('other-topics').textContent.replace(/\s+/g, ' ').trim()).toBe(
    'Did you mean KITT (TV character)?',
  );
  await fireEvent.click(screen.getByTestId('other-topic'));
  expect(asked).toMatchObject([{ kind: 'replace', stage: 'link', choice: { kind: 'topic', entity: 'en.kitt' } }]);
});

test('an answer to less than was asked says so first, and lists its words once', () => {
  shows('readings', () => ({ unused_words: [[23, 27]], partial: [[23, 27]] }));
  expect(screen.getByTestId('partial').textContent).toBe('Partial answer: “KITT” was not used');
  expect(screen.queryByTestId('unused-words')).toBeNull();
  expect(screen.queryByTestId('confidence')).toBeNull();
});

test('a yes-no question is answered with yes, or with what the graph has instead', () => {
  shows('readings', () => ({ claim: { start: 23, end: 27, holds: true } }));
  expect(screen.getByTestId('claim').textContent).toBe('Yes');
  expect(screen.getByTestId('claim-why').textContent).toBe('“KITT” is among the answers:');
});

test('a claim that the graph does not have is no denial', () => {
  shows('readings', () => ({ claim: { start: 23, end: 27, holds: false } }));
  expect(screen.getByTestId('claim').textContent).toBe('No such fact in this graph');
  expect(screen.getByTestId('claim-why').textContent).toBe('What the graph has instead of “KITT”:');
});

test('two things that are compared are shown with their values', () => {
  const thing = (id: string, label: string) => ({ id, label, kind: 'entity' }) as const;
  const value = (label: string) => ({ id: `"${label}"^^xsd:integer`, label, kind: 'number' }) as const;
  const values = [
    { term: thing('m.nile', 'Nile'), value: value('6650'), unit: 'km' },
    { term: thing('m.amazon', 'Amazon River'), value: value('6400'), unit: 'km' },
  ];
  const relation = { id: 'geography.river.length', label: 'length', context: 'river', reverse: false, unit: 'km' };
  shows('readings', () => ({ compared: { relation, values, holds: false } }));
  expect(screen.getByTestId('compared-said').textContent).toBe('No');
  expect(screen.getAllByTestId('compared-value').map((each) => each.textContent)).toEqual([
    'Nile: length 6,650 km',
    'Amazon River: length 6,400 km',
  ]);
});
