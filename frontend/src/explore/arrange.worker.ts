/** Arranges a drawing beside the page, which stays usable meanwhile. */
import { arranged } from './arrange';
import type { ToArrange } from './arrangeBeside';

self.onmessage = ({ data: { tables, arrangement } }: MessageEvent<ToArrange>) => {
  self.postMessage(arranged(tables, arrangement));
};
