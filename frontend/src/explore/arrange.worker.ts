/** Arranges a drawing beside the page, which stays usable meanwhile. */
import { arranged } from './arrange';
import type { ArrangeRequest } from './arrangeInWorker';

self.onmessage = ({ data: { tables, arrangement } }: MessageEvent<ArrangeRequest>) => {
  self.postMessage(arranged(tables, arrangement));
};
