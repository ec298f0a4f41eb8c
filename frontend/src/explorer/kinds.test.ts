import { expect, test } from 'vitest';

import { kindLabels } from './kinds';

test('kinds of one name are told apart by their own names, or else by their domains', () => {
  const kinds = [
    { id: 'people.person', label: 'person' },
    { id: 'people.deceased_person', label: 'person' },
    { id: 'music.artist', label: 'artist' },
    { id: 'broadcast.artist', label: 'artist' },
    { id: 'film.film', label: 'film' },
    { id: 'http://example.org/Film', label: 'Film' },
  ];
  expect([...kindLabels(kinds).values()]).toEqual([
    'person',
    'deceased person',
    'artist (music)',
    'artist (broadcast)',
    'film',
    'Film',
  ]);
});
