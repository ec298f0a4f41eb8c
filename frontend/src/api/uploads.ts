/** Sending a file to the site: part by part, so that a lost connection costs one part, and progress is known. */
import { RequestFault, answered, granted, http } from './client';
import type { UploadOut } from './types';

/** Milliseconds before a part is sent again that did not arrive; after the last of them the sending stops. */
const PAUSES = [500, 1000, 2000, 4000];

/** A file on its way to the site. It can be sent again where it stopped. */
export class Sending {
  #upload: UploadOut | null = null;
  readonly #stop = new AbortController();

  constructor(readonly file: File) {}

  /**
   * Send what the site lacks; reports after each part how many bytes the site has.
   *
   * Returns null once it was given up; throws a `RequestFault` where that is refused or the site stays away.
   */
  async send(onprogress: (received: number) => void): Promise<UploadOut | null> {
    try {
      return await this.#sendParts(onprogress);
    } catch (fault) {
      if (this.#stop.signal.aborted) return null;
      throw fault;
    }
  }

  async #sendParts(onprogress: (received: number) => void): Promise<UploadOut> {
    let upload = this.#upload ?? (await this.#patiently(() => this.#begin()));
    for (;;) {
      this.#upload = upload;
      this.#stop.signal.throwIfAborted();
      onprogress(upload.received);
      if (upload.received >= upload.bytes) return upload;
      const before: UploadOut = upload;
      upload = await this.#patiently(() => this.#part(before));
    }
  }

  /** Give it up; what was sent of it is removed from the site. */
  async giveUp(): Promise<void> {
    this.#stop.abort();
    if (this.#upload) await removeUpload(this.#upload.id);
  }

  #begin(): Promise<UploadOut> {
    const { name, size } = this.file;
    return answered(http.POST('/api/uploads', { body: { name, bytes: size }, signal: this.#stop.signal }));
  }

  /** Send the part that comes next. */
  async #part({ id, received: offset, part_bytes }: UploadOut): Promise<UploadOut> {
    const path = { upload_id: id };
    const part = this.file.slice(offset, offset + part_bytes);
    try {
      return await answered(
        http.PUT('/api/uploads/{upload_id}', {
          params: { path, query: { offset } },
          // The schema calls bytes a string.
          body: part as unknown as string,
          bodySerializer: (body: unknown) => body as Blob,
          headers: { 'Content-Type': 'application/octet-stream' },
          signal: this.#stop.signal,
        }),
      );
    } catch (fault) {
      if (fault instanceof RequestFault && fault.status !== 409) throw fault;
      // The part is there, and the answer to it was lost.
      return answered(http.GET('/api/uploads/{upload_id}', { params: { path }, signal: this.#stop.signal }));
    }
  }

  /** Try again where the site was away or busy for a moment. */
  async #patiently<T>(act: () => Promise<T>): Promise<T> {
    for (const pause of PAUSES) {
      try {
        return await act();
      } catch (fault) {
        this.#stop.signal.throwIfAborted();
        if (!(fault instanceof RequestFault) || !mayPass(fault)) throw fault;
        await new Promise((resolve) => setTimeout(resolve, Math.max(pause, fault.wait * 1000)));
      }
    }
    return act();
  }
}

/** Take back a file that was sent. */
export const removeUpload = (id: string): Promise<void> =>
  granted(http.DELETE('/api/uploads/{upload_id}', { params: { path: { upload_id: id } } }));

const mayPass = ({ status, code }: RequestFault): boolean =>
  status === 0 || status === 429 || status === 502 || status === 504 || (status === 503 && code !== 'disk_full');
