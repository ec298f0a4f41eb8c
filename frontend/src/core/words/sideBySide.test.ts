import { expect, test } from 'vitest';

import { askedAddress, besideAddress } from './sideBySide';

const WHY = { question: 'who & why?', graph: 'toy', scorer: 'encoder', topic: null, topicName: null };

test('an address keeps what is asked of what by which model', () => {
  expect(besideAddress(WHY)).toBe('/side-by-side?question=who+%26+why%3F&graph=toy&scorer=encoder');
  const about = new URLSearchParams(besideAddress({ ...WHY, topic: 'en.kitt', topicName: 'KITT' }).split('?')[1]);
  expect([about.get('about'), about.get('named')]).toEqual(['en.kitt', 'KITT']);
  expect(besideAddress({ question: '', graph: null, scorer: null, topic: null, topicName: null })).toBe(
    '/side-by-side',
  );
});

test('a run that was asked with others is seen beside them', () => {
  expect(askedAddress({ id: 'one', side_by_side: null })).toBe('/runs/one');
  expect(askedAddress({ id: 'one', side_by_side: 'all' })).toBe('/side-by-side/all');
});
