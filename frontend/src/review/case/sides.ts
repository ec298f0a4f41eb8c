/** Whose a part is of gold laid over a prediction, in colours and words. */
import type { LaidOverOut } from '../../api/review/review';

type Side = LaidOverOut['steps'][number]['side'];

export const SIDES: Readonly<Record<Side, { readonly colour: string; readonly words: string }>> = {
  both: { colour: 'var(--edge)', words: 'both' },
  made: { colour: 'var(--side-2)', words: 'only predicted' },
  gold: { colour: 'var(--side-1)', words: 'only gold' },
};
