/** Active time: seconds in which a tab was visible and in recent use. */

/** How long after the last input an annotator counts as active, in milliseconds. */
const STILL = 60_000;
/** A longer pause between two looks was a sleep of the machine, in milliseconds. */
const LOOKS = 5_000;

export class Activity {
  #touched: number;
  #looked: number;
  #counted = 0;

  /** @param now The time, in milliseconds. */
  constructor(now: number) {
    this.#touched = this.#looked = now;
  }

  /** The annotator moved the pointer, pressed or typed something. */
  touch(now: number): void {
    this.#touched = now;
  }

  /** Count what passed since the last look. */
  look(now: number, visible: boolean): void {
    const passed = now - this.#looked;
    this.#looked = now;
    if (visible && passed > 0 && passed <= LOOKS && now - this.#touched <= STILL) this.#counted += passed;
  }

  /** The whole seconds that were not taken yet. */
  take(): number {
    const seconds = Math.floor(this.#counted / 1000);
    this.#counted -= seconds * 1000;
    return seconds;
  }

  /** Put back seconds that could not be sent; they are sent the next time. */
  restoreSeconds(seconds: number): void {
    this.#counted += seconds * 1000;
  }
}
