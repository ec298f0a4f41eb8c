/**
 * Names as a screen may show them. A graph, a dataset or a user may have characters that are invisible and that
 * change what is seen: overrides of the direction turn a name round, zero-width characters make two names look alike.
 *
 * - Such characters, and control characters, are shown by a mark: ⟨U+202E⟩. Line breaks become spaces.
 * - Where a script or an emoji needs one, it stays: joiners after letters of Arabic and Indic scripts and within emoji,
 *   variation selectors after emoji and Han, one direction mark beside letters written from right to left, the tags of
 *   flags.
 * - A text with letters from right to left is isolated, so that it reads right and leaves its neighbours alone.
 *
 * What is stored, exported and compared keeps every character: only what is printed passes through here. The same in
 * Python is `webapp/platform/terminal/shown.py`; `tests/shown.json` holds both to one behaviour.
 */

const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

/* eslint-disable no-control-regex, no-misleading-character-class -- ranges of what is looked for */
const RIGHT_TO_LEFT =
  /[\u0590-\u05FF\u0608\u060B\u060D\u061B-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
const UNSEEN =
  /[\u0000-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uD800-\uDFFF\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]/u;
const JOINING =
  /[\u0600-\u0DFF\u0F00-\u109F\u1780-\u17B3\u17B6-\u180A\u1820-\u18AF\uA840-\uA8FF\uFB50-\uFDFF\uFE70-\uFEFC\u{10A00}-\u{10FFF}\u{11000}-\u{11FFF}\u{1E900}-\u{1E95F}]/u;
const MONGOLIAN = /[\u1820-\u18AF]/u;
const HAN = /[\u3400-\u9FFF\uF900-\uFAFF\u{20000}-\u{3FFFF}]/u;
const EMOJI =
  /[\u00A9\u00AE\u203C\u2049\u2122\u2139\u2190-\u21FF\u2300-\u23FF\u25A0-\u27BF\u2900-\u297F\u2B00-\u2BFF\u3030\u303D\u3297\u3299\u{1F000}-\u{1FAFF}]/u;
const KEY = /[0-9#*]/;
/* eslint-enable */
const BLACK_FLAG = '\u{1F3F4}';

/** A text for the screen, in which nothing is hidden and nothing changes the order of what stands around it. */
export function shown(text: string): string {
  const isolated = text.startsWith(FIRST_STRONG_ISOLATE) && text.endsWith(POP_ISOLATE);
  const inner = isolated ? text.slice(1, -1) : text;
  const seen = UNSEEN.test(inner) ? marked(Array.from(inner)) : inner;
  return RIGHT_TO_LEFT.test(seen) ? FIRST_STRONG_ISOLATE + seen + POP_ISOLATE : seen;
}

function marked(characters: readonly string[]): string {
  const rightToLeft = characters.some((each) => RIGHT_TO_LEFT.test(each) && each !== '\u061C');
  let inFlag = false;
  return characters
    .map((character, place) => {
      const before = characters[place - 1] ?? '';
      const isTag = /[\u{E0020}-\u{E007F}]/u.test(character);
      inFlag = isTag && (inFlag || before === BLACK_FLAG);
      if (!UNSEEN.test(character) || inFlag) return character;
      return isNeeded(character, before, characters[place + 1] ?? '', rightToLeft) ? character : mark(character);
    })
    .join('');
}

function isNeeded(character: string, before: string, after: string, rightToLeft: boolean): boolean {
  if (character === '\u200D' && (EMOJI.test(before) || before === '\uFE0F')) return EMOJI.test(after);
  if (character === '\u200C' || character === '\u200D') return JOINING.test(before) && !UNSEEN.test(before);
  if (/[\u200E\u200F\u061C]/.test(character)) return rightToLeft && !UNSEEN.test(before);
  if (/[\uFE0E\uFE0F]/.test(character)) return EMOJI.test(before) || KEY.test(before);
  if (/[\uFE00-\uFE0D\u{E0100}-\u{E01EF}]/u.test(character)) return HAN.test(before);
  return /[\u180B-\u180D\u180F]/.test(character) && MONGOLIAN.test(before);
}

function mark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (/[\t\n\r\u2028\u2029]/.test(character)) return ' ';
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** The same of a text of several lines, which stay lines. */
export function linesShown(text: string): string {
  return text.split(/\r?\n/).map(shown).join('\n');
}

/** The same of the name of a thing or a relation: one that could be taken for the option *None* stands in quotes. */
export function nameShown(name: string): string {
  const seen = shown(name);
  return /^\W*(none|nothing more)\W*$/i.test(seen) ? `“${seen}”` : seen;
}
