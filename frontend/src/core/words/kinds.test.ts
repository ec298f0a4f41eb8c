import { expect, test } from 'vitest';
import { kindFound, kindLabels, kindsListed } from './kinds';

const KINDS = kindsListed([
  { id: 'location.country', label: 'country' },
  { id: 'music.artist', label: 'artist' },
  { id: 'broadcast.artist', label: 'artist' },
]);

test('kinds are listed by names of their own', () => {
  expect(KINDS.map(({ name }) => name)).toEqual(['artist (broadcast)', 'artist (music)', 'country']);
});

test('a kind is found by its name or its id, and a rare one by its id alone', () => {
  expect(kindFound(KINDS, ' Country ')).toBe('location.country');
  expect(kindFound(KINDS, 'music.artist')).toBe('music.artist');
  expect(kindFound(KINDS, 'geography.dam')).toBe('geography.dam');
  expect(kindFound(KINDS, 'artist')).toBeNull();
  expect(kindFound(KINDS, '')).toBeNull();
});

test('types with the same name are distinguished by their ids, or else by their domains', () => {
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
