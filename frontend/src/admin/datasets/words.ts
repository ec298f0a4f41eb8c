/** Datasets in words, and what may be done with one. */
import type { DatasetOut } from '../../api/types';
import { shown } from '../../core/words/shown';
import { number, plural } from '../../core/words/format';

/** What a dataset is called. */
export function datasetTitle({ name }: DatasetOut): string {
  return name === 'sample' ? 'Bundled sample' : shown(name);
}

/** Where a dataset stands, and what it holds. */
export function standsWords(dataset: DatasetOut): string {
  const passed = dataset.malformed > 0 ? `, ${number(dataset.malformed)} skipped` : '';
  const stored = `${plural(dataset.questions, 'question')}${passed}`;
  switch (dataset.status) {
    case 'queued':
      return dataset.questions > 0 ? `waiting for a worker, ${stored} stored` : 'waiting for a worker';
    case 'running':
      return dataset.questions > 0 || passed ? `reading, ${stored} so far` : 'reading';
    case 'succeeded':
      return stored;
    case 'cancelled':
      return `stopped, ${stored} stored`;
    default:
      return `not loaded, ${stored} stored`;
  }
}

/** Which version of the format's reader read it. */
export function readerWords({ reader_version }: DatasetOut): string {
  return reader_version === 0 ? 'reader version unknown' : `reader version ${number(reader_version)}`;
}

/** Which of its questions are held out from training; empty until all are loaded. */
export function heldOutWords({ status, train, validation }: DatasetOut): string {
  return status === 'succeeded' ? `${number(validation)} held out, ${number(train)} for training` : '';
}
