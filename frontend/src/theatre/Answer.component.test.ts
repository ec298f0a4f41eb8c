import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import type { AnswerRecord, Finished, RunEventOut } from '../api/types';
import { recorded } from '../core/recorded';
import Answer from './Answer.svelte';
import { THEATRE, TheatreModel } from './model.svelte';

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

test('what a model answered by itself is told apart, and has no proof', () => {
  shows('condition', ({ answers }) => ({
    verdict: 'from_the_model',
    reason: 'from_the_model',
    answers: answers.map((each) => ({ ...each, path: [], conditions: [] })),
  }));
  expect(screen.getByTestId('answer-item').textContent).toContain('William Daniels');
  expect(screen.getByTestId('from-the-model').textContent).toMatch(/No fact of the graph supports it/);
  expect(screen.queryByTestId('answer-path')).toBeNull();
});

test('a run that stopped before a decision tells what is open', () => {
  shows('undecided');
  expect(screen.getByTestId('answer').textContent).toContain('Stopped before a decision');
  expect(screen.getByTestId('open-decision').textContent).toMatch(/where the answer stands · 1 option\s*character/);
});

test('other readings, unused words and the confidence stand beneath the answer', () => {
  shows('readings', () => ({ unused_words: [[23, 27]] }));
  expect(screen.getByTestId('confidence').textContent).toContain('26 % sure');
  expect(screen.getByTestId('unused-words').textContent).toBe('Not used: “KITT”');
  expect(screen.getByTestId('other-readings').textContent).toMatch(/2 other readings/);
  expect(screen.getAllByTestId('other-reading').map((each) => each.textContent.replace(/\s+/g, ' ').trim())).toEqual([
    '.16 KITT no answer found',
    '.05 Knight Rider → regular cast → actor David Hasselhoff, Edward Mulhare, William Daniels',
  ]);
});
