/** Filling in the words that the engine and the screens share: "Follow {relation}". */

/** What a text asks to be filled in. */
export type Slots<Text extends string> = Text extends `${string}{${infer Slot}}${infer Rest}`
  ? Slot | Slots<Rest>
  : never;

/** A text with everything in braces filled in. */
export function filled<Text extends string>(text: Text, slots: Readonly<Record<Slots<Text>, string>>): string {
  return pieces(text, slots, (plain) => plain).join('');
}

/** The same piece by piece: what stands between the braces through `plain`, and what is filled in as it is. */
export function pieces<Text extends string, Piece>(
  text: Text,
  slots: Readonly<Record<Slots<Text>, Piece>>,
  plain: (text: string) => Piece,
): readonly Piece[] {
  const known: ReadonlyMap<string, Piece> = new Map(Object.entries<Piece>(slots));
  return text
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => known.get(part.slice(1, -1)) ?? plain(part));
}
