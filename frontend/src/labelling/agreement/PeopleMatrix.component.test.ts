import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, test } from 'vitest';

import type { AgreementFiguresOut, AgreementMeasures, PeopleAgreement } from '../../api/labelling/agreement';
import PeopleMatrix from './PeopleMatrix.svelte';

const figure = (value: number | null) => ({ value, questions: 4, why: value === null ? 'Not enough.' : '' });

function measures(value: number | null): AgreementMeasures {
  const one = figure(value);
  return {
    answers: one,
    same_derivation: one,
    facts: one,
    distance: figure(2),
    alpha: figure(null),
    kappa_kind: one,
    kappa_topic: one,
  };
}

const pair = (first: number, second: number, value: number | null): PeopleAgreement => ({
  first,
  second,
  questions: 5,
  measures: measures(value),
});

const person = (id: number, display_name: string) => ({ id, display_name, questions: 9 });

const FIGURES: AgreementFiguresOut = {
  questions: 9,
  compared: 9,
  labels: 18,
  agreed: 4,
  measures: measures(0.5),
  people: [person(7, 'Ada'), person(3, 'Ben'), person(5, 'Dan')],
  people_total: 40,
  pairs: [pair(3, 7, 0.25), pair(5, 7, 0.75)],
  pairs_total: 100,
  pairs_of_derivations: 0,
  stages: [],
  bias: null,
  graph_fault: '',
};

const named = () => screen.getAllByTestId('cell').map((cell) => cell.getAttribute('aria-label'));

test('every two people have a cell, and those without a question in common say so', () => {
  render(PeopleMatrix, { figures: FIGURES });
  expect(named()).toEqual([
    'Ben and Ada: 0.25 over 4 questions',
    'Dan and Ada: 0.75 over 4 questions',
    'Dan and Ben: no question in common',
  ]);
  expect(screen.getByTestId('people').textContent).toContain('3 of 40 people');
  expect(screen.getByTestId('pair-alpha').textContent).toContain('– Not enough.');
});

test('one cell is in the order of the keyboard, and the arrow keys move to the others', async () => {
  render(PeopleMatrix, { figures: FIGURES });
  const reachable = () => screen.getAllByTestId('cell').filter(({ tabIndex }) => tabIndex === 0);
  expect(reachable()).toHaveLength(1);
  reachable()[0]?.focus();
  await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'ArrowDown' });
  expect(document.activeElement?.getAttribute('aria-label')).toContain('Dan and Ada');
  expect(screen.getByTestId('pair').textContent).toContain('5 questions in common');
  await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'ArrowRight' });
  expect(document.activeElement?.getAttribute('aria-label')).toContain('Dan and Ben');
  expect(reachable()).toEqual([document.activeElement]);
  await fireEvent.keyDown(document.activeElement ?? document.body, { key: 'ArrowUp' });
  expect(document.activeElement?.getAttribute('aria-label')).toContain('Ben and Ada');
});

test('with one person, the table says how to add others', () => {
  render(PeopleMatrix, { figures: { ...FIGURES, people: [person(7, 'Ada')], pairs: [] } });
  expect(screen.getByTestId('people').textContent).toContain('Only one person has labelled so far');
});
