/** What is suggested to those who label: as the form holds it, and how far a model is with it. */
import type { ProjectIn, SuggestionsOut } from '../../../api/labelling/annotation';
import { number, plural } from '../../../core/words/format';

const USUAL_WIDTH = 3;

export interface Suggestions {
  suggests: 'nothing' | 'dataset' | 'model';
  scorer: string;
  strategy: string;
  /** How many readings a strategy keeps that keeps several. */
  width: number;
}

/** What the form shows first. */
export const NOTHING_SUGGESTED: Readonly<Suggestions> = {
  suggests: 'nothing',
  scorer: '',
  strategy: '',
  width: USUAL_WIDTH,
};

/** What the site is asked for; where nothing is suggested, no question is set apart as labelled blind. */
export function wantedSuggestions(
  { suggests, scorer, strategy, width }: Suggestions,
  blind: number,
): Pick<ProjectIn, 'suggests' | 'suggester' | 'blind_percent'> {
  return {
    suggests,
    suggester: suggests === 'model' ? { scorer, strategy, width } : { width: USUAL_WIDTH },
    blind_percent: suggests === 'nothing' ? 0 : blind,
  };
}

const STANDS: Readonly<Record<SuggestionsOut['status'], string>> = {
  queued: 'waiting',
  running: 'running',
  succeeded: '',
  failed: 'failed',
  cancelled: 'stopped',
};

/** How many questions are behind the model, whatever became of them. */
export function passed({ found, unanswered, late }: SuggestionsOut): number {
  return found + unanswered + late;
}

/** How far a model is: "Suggestions for 37 of 40 questions, at work". */
export function suggestionsWords(suggestions: SuggestionsOut): string {
  const { found, wanted, status } = suggestions;
  const stands = STANDS[status];
  return `Suggestions for ${number(found)} of ${plural(wanted, 'question')}${stands ? `, ${stands}` : ''}`;
}

/** Why some of a project's tasks have none; empty where all have, or may still get one. */
export function withoutWords({ unanswered, late, wanted }: SuggestionsOut, tasks: number): string {
  const blind = tasks - wanted;
  const why = [
    ...(unanswered > 0 ? [`${number(unanswered)} without an answer`] : []),
    ...(late > 0 ? [`${number(late)} ${late === 1 ? 'was' : 'were'} assigned earlier`] : []),
    ...(blind > 0 ? [`${number(blind)} more ${blind === 1 ? 'is' : 'are'} labelled blind`] : []),
  ];
  return why.join(', ');
}
