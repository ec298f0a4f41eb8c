/** A file that a form needs: it is sent as soon as it is chosen, before the form is. */
import type { UploadOut } from '../../api/types';

export class SentFile {
  /** What was sent; null before it is whole. */
  upload = $state.raw<UploadOut | null>(null);
  isSending = $state(false);
}
