/** What is looked at, as the address keeps it. */
import { readView, selectedPosition, writeView, type View } from '../../core/drawing/view';

export class ViewState {
  current = $state.raw<View>(readView(location.search));

  readonly search = $derived(writeView(this.current));
  /** The position of the chosen node of S_k, or of the chosen term. */
  readonly position = $derived(selectedPosition(this.current.node));
  /** The chosen term; null where a whole node is chosen, or nothing. */
  readonly term = $derived(this.current.node?.includes(':') ? this.current.node : null);

  /** Change what is looked at. */
  change(change: Partial<View>): void {
    this.current = { ...this.current, ...change };
  }

  /** Look at what an address names. */
  restore(search: string): void {
    this.current = readView(search);
  }
}
