/** Text that is being typed is kept: a reload, or another page, loses none of it. */
import type { Attachment } from 'svelte/attachments';

/** The pause in typing, in milliseconds, after which a field that saves by itself is saved. */
const PAUSE = 1_500;
/** Where unsent text waits in this tab. */
const NAME = 'discern-unsent';

/**
 * Makes a field save itself: after a pause in typing, when the field is left, and before the page or the field goes.
 *
 * `save` has to keep the text at once: nothing waits for it while a page goes.
 */
export function savesTyping(save: (text: string) => void): Attachment<HTMLInputElement | HTMLTextAreaElement> {
  return (field) => {
    let typed: string | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = new AbortController();
    const { signal } = stop;

    function saveNow() {
      clearTimeout(timer);
      if (typed === null) return;
      const text = typed;
      typed = null;
      save(text);
    }

    field.addEventListener(
      'input',
      () => {
        typed = field.value;
        clearTimeout(timer);
        timer = setTimeout(saveNow, PAUSE);
      },
      { signal },
    );
    field.addEventListener('change', saveNow, { signal });
    window.addEventListener('pagehide', saveNow, { signal });
    // Before the page's own listeners, which keep what is saved by then.
    document.addEventListener('visibilitychange', saveNow, { signal, capture: true });
    return () => {
      stop.abort();
      saveNow();
    };
  };
}

/** Text that a person sends or drops explicitly. Until then this tab keeps it, also over a reload. */
export class UnsentText {
  readonly #key: string;
  #text = $state('');

  /**
   * @param what What the text is for: one entry for each thing that is written about.
   * @param start The text where none is kept.
   */
  constructor(what: string, start = '') {
    this.#key = `${NAME} ${what}`;
    this.#text = sessionStorage.getItem(this.#key) ?? start;
  }

  /** Whether this tab keeps text that was typed before. */
  get isKept(): boolean {
    return sessionStorage.getItem(this.#key) !== null;
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    try {
      sessionStorage.setItem(this.#key, text);
    } catch (reason) {
      // The storage is full or forbidden: the text is still in its field.
      if (!(reason instanceof DOMException)) throw reason;
    }
  }

  /** It was sent or dropped: begin again from another text. */
  clear(start = ''): void {
    sessionStorage.removeItem(this.#key);
    this.#text = start;
  }
}

/** Forget what was typed and not sent, as when the user signs out. */
export function forgetUnsentText(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(`${NAME} `)) sessionStorage.removeItem(key);
}
