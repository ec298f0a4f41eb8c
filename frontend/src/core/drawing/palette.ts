/** Colours that colour-blind people can distinguish (Okabe and Ito), always next to a letter. */

const COLOURS = ['#e69f00', '#0072b2', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442'] as const;
const DARK_LETTER = '#17181c';
const LIGHT_LETTER = '#ffffff';
const LIGHT_ON = new Set<string>(['#0072b2', '#009e73', '#d55e00']);

/** Which theme is shown. */
export type Scheme = 'light' | 'dark';

/** The letter of a semantic node: A is the topic entity. */
export function letterOf(position: number): string {
  return String.fromCharCode(65 + (position % 26));
}

/** The colour of a semantic node; the root is ink, which is white on dark. */
export function colourOf(position: number, scheme: Scheme): string {
  if (position === 0) return scheme === 'light' ? '#2b2d33' : '#e7e8ec';
  return COLOURS[(position - 1) % COLOURS.length] ?? COLOURS[0];
}

/** The colour in which a letter can be read on a semantic node. */
export function letterColourOf(position: number, scheme: Scheme): string {
  const colour = colourOf(position, scheme);
  if (position === 0) return scheme === 'light' ? LIGHT_LETTER : DARK_LETTER;
  return LIGHT_ON.has(colour) ? LIGHT_LETTER : DARK_LETTER;
}
