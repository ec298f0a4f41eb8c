/** What a question seems to name while it is typed: provisional, as the model decides once it is asked. */
import { RequestFault, recogniseQuestion } from '../api/client';
import type { EntityOut, RecognisedOut } from '../api/types';
import { afterPause } from '../ui/fields/afterPause';

/** Delay in milliseconds between the last key and the request. */
const PAUSE = 200;

/** A part of the question: its words, and whatever they seem to name. */
export interface Part {
  readonly words: string;
  /** Null for the words between the names. */
  readonly named: RecognisedOut | null;
}

/** The question in parts, in their order. The places are counted in characters, of which some are two in JavaScript. */
export function partsOf(question: string, recognised: readonly RecognisedOut[]): readonly Part[] {
  const characters = Array.from(question);
  const parts: Part[] = [];
  let done = 0;
  for (const named of recognised) {
    // Of names that lie within another, the first and longest is shown.
    if (named.start < done) continue;
    if (named.start > done) parts.push({ words: characters.slice(done, named.start).join(''), named: null });
    parts.push({ words: characters.slice(named.start, named.end).join(''), named });
    done = named.end;
  }
  if (done < characters.length) parts.push({ words: characters.slice(done).join(''), named: null });
  return parts;
}

/** The question with one of its parts written otherwise. */
export const rewritten = (parts: readonly Part[], part: Part, name: string): string =>
  parts.map((each) => (each === part ? name : each.words)).join('');

export class Recognition {
  /** Of the question as it stands; empty while the graph is asked, and where it could not be. */
  parts = $state.raw<readonly Part[]>([]);

  /** Searches the graph whenever `question` returns another text; an empty text searches nothing. Call it from a component. */
  constructor(graph: () => string, question: () => string) {
    $effect(() => {
      const [name, typed] = [graph(), question()];
      this.parts = [];
      if (!typed) return;
      return afterPause(PAUSE, async (signal) => {
        try {
          this.parts = partsOf(typed, await recogniseQuestion(name, typed, signal));
        } catch (reason) {
          // The question can be asked all the same, and whatever is wrong is said then.
          if (!signal.aborted && !(reason instanceof RequestFault)) throw reason;
        }
      });
    });
  }

  /** The things that it might be about, each once. */
  get topics(): readonly EntityOut[] {
    const all = this.parts.flatMap(({ named }) => named?.entities ?? []);
    return all.filter(({ id }, place) => all.findIndex((each) => each.id === id) === place);
  }
}
