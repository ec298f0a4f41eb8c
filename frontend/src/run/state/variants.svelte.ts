/** The tree of variants that the run belongs to, and how its answers differ from those of the original. */
import { RequestFault } from '../../api/client';
import { getDifference, listVariants, type Difference, type Variant } from '../../api/asking/variants';

export class Variants {
  tree = $state.raw<readonly Variant[]>([]);
  difference = $state.raw<Difference | null>(null);
  fault = $state('');

  /** The run at the root of the tree. */
  readonly original = $derived(this.tree.find(({ parent }) => parent === null));

  /**
   * Ask the site.
   *
   * @param compared Whether the run is a finished variant, which can be compared.
   */
  async load(id: string, compared: boolean): Promise<void> {
    try {
      this.tree = await listVariants(id);
      if (compared) this.difference = await getDifference(id);
      this.fault = '';
    } catch (reason) {
      if (!(reason instanceof RequestFault)) throw reason;
      this.fault = reason.message;
    }
  }
}
