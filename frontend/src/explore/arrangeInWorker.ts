/** Arranges a drawing in a web worker: thousands of nodes take seconds, and the page must not freeze. */
import { RequestFault } from '../api/client';
import type { Arrangement, Tables } from '../core/drawing/exploration';
import type { Point } from '../core/drawing/layout';
import ArrangeWorker from './arrange.worker?worker';

export interface ArrangeRequest {
  readonly tables: Tables;
  readonly arrangement: Arrangement;
}

/** The new position of each node that may move. */
export function arrangeInWorker(tables: Tables, arrangement: Arrangement): Promise<ReadonlyMap<string, Point>> {
  const worker = new ArrangeWorker();
  return new Promise<ReadonlyMap<string, Point>>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<ReadonlyMap<string, Point>>) => resolve(data);
    worker.onerror = () =>
      reject(new RequestFault('not_arranged', 'The drawing could not be arranged. Reload the page and try again.', 0));
    worker.postMessage({ tables, arrangement } satisfies ArrangeRequest);
  }).finally(() => worker.terminate());
}
