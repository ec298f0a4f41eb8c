import { expect, test } from 'vitest';

import cases from '../../../../tests/shown.json';
import { linesShown, nameShown, shown } from './shown';

test.each(cases)('$text', (each) => {
  expect(shown(each.text)).toBe(each.shown);
});

test('what is shown stays so when it is shown again', () => {
  for (const each of cases) expect(shown(shown(each.text))).toBe(each.shown);
});

test('halves of surrogate pairs are marked', () => {
  expect(shown('a\ud800b')).toBe('a⟨U+D800⟩b');
});

test('a name that could be taken for the option None is distinguished from it', () => {
  expect(['None', 'none.', ' NOTHING MORE', 'Nonesuch', 'None of us'].map(nameShown)).toEqual([
    '“None”',
    '“none.”',
    '“ NOTHING MORE”',
    'Nonesuch',
    'None of us',
  ]);
});

test('lines of a text stay lines, and hide nothing', () => {
  expect(linesShown('first\r\nsecond \u202e\n\nlast')).toBe('first\nsecond ⟨U+202E⟩\n\nlast');
});
