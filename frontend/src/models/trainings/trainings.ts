/** Trainings in words, and what may be asked of one. */
import type { TrainingOut } from '../../api/types';
import { shown } from '../../core/words/shown';
import { fixed, number } from '../../core/words/format';

/** The trainings whose model is not there: what became of the others stands in the list of models. */
export function unfinished(trainings: readonly TrainingOut[]): readonly TrainingOut[] {
  return trainings.filter(({ status }) => status !== 'succeeded');
}

/**
 * Where a training stands.
 *
 * @param others All trainings, this one among them: one is trained at a time.
 */
export function progressWords(training: TrainingOut, others: readonly TrainingOut[]): string {
  switch (training.status) {
    case 'queued':
      return others.some(({ status, queue }) => status === 'running' && queue === training.queue)
        ? 'waiting: models are trained one at a time'
        : 'waiting for a worker';
    case 'cancelled':
      return 'stopped';
    case 'failed':
      return shown(training.reason);
    default: {
      if (!training.stage) return 'beginning';
      const epoch = training.epoch > 0 ? `, epoch ${training.epoch} of ${training.of_epochs}` : '';
      const loss = training.loss === null ? '' : `, loss ${fixed(training.loss, 3)}`;
      return `${training.stage}${epoch}, ${number(training.done)} of ${number(training.total)}${loss}`;
    }
  }
}

/** What is trained with a base: "a small language model, from scratch", "llama, fine-tuned". */
export function baseTitle(base: string): string {
  return base === 'new' ? 'a small language model, from scratch' : `${shown(base)}, fine-tuned`;
}

const LONGEST_NAME = 60;

/** Why a model cannot bear a name; null where it can. The site has the last word. */
export function nameFault(name: string, taken: readonly string[]): string | null {
  if (!name) return 'Give the model a name. Users choose it by this name.';
  if (!/^[a-z0-9]+([-_][a-z0-9]+)*$/.test(name)) {
    return 'Use lower-case letters, digits, and single hyphens or underscores between them.';
  }
  if (name.length > LONGEST_NAME) return `Use at most ${LONGEST_NAME} characters.`;
  return taken.includes(name) ? `A model “${name}” exists already. Choose another name.` : null;
}
