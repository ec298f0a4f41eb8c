/** The words for model cards. */
import { STAGES } from '../../api/stages';
import type { ScorerOut } from '../../api/types';
import { shown } from '../../core/words/shown';

/** Which decisions a model card speaks of: all, those of a stage, or those of a source. */
export function choiceWords(of: string): string {
  const words: Readonly<Record<string, string>> = { all: 'All', None: 'None is right', 'not None': 'None is wrong' };
  return words[of] ?? STAGES.find(({ name }) => name === of)?.label ?? shown(of);
}

/** The shares of right choices as people read them: all, the stages in their order, sources, None. */
export function choicesInOrder(shares: Readonly<Record<string, number>>): [of: string, share: number][] {
  const first = ['all', ...STAGES.map(({ name }) => name as string)];
  const rank = (of: string) => {
    if (first.includes(of)) return first.indexOf(of);
    return first.length + (of === 'None' || of === 'not None' ? 1 : 0);
  };
  return Object.entries(shares).sort(([one], [other]) => rank(one) - rank(other));
}

/** What chooses where no model does. */
export function baselineWords(name: string): string {
  const words: Readonly<Record<string, string>> = {
    'most frequent': 'Most frequent right option',
    words: 'Word overlap',
  };
  return words[name] ?? shown(name);
}

/** The scorers whose name, title or description holds the words, whatever the case. */
export function called(scorers: readonly ScorerOut[], words: string): readonly ScorerOut[] {
  const wanted = words.trim().toLowerCase();
  return scorers.filter(({ name, title, about }) =>
    [name, title, about].some((text) => text.toLowerCase().includes(wanted)),
  );
}
