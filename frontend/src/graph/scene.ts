/** What a drawing and a table of facts show. Both know terms and facts alone, and not where they came from. */
import type { RelationRecord } from '../api/types';
import type { Point } from '../core/drawing/layout';

/** A term of the drawing. */
export interface SceneTerm {
  readonly key: string;
  /** Terms of one group share a colour and a letter. */
  readonly group: number;
  readonly label: string;
  /** Whether it only links others, and has no name of its own. */
  readonly hollow: boolean;
  /** Whether all others grow around it. */
  readonly centre: boolean;
  /** The key of the term that it grows from. */
  readonly origin: string | undefined;
  readonly at: Point;
  readonly removed: boolean;
  /** Whether a user moved it there. */
  readonly pinned: boolean;
  /** Whether it is only previewed. */
  readonly ahead?: boolean;
}

/** A fact of the drawing. */
export interface SceneFact {
  readonly id: number;
  readonly source: string;
  readonly target: string;
  readonly label: string;
  /** Whether the fact itself points from its target to its source. */
  readonly reverse: boolean;
  readonly removed: boolean;
  readonly highlighted: boolean;
  /** Whether it is only previewed. */
  readonly ahead?: boolean;
  /** The colour of the run that alone has it, as a variable of the theme: `var(--side-1)`. */
  readonly side?: string;
}

/** Everything that is drawn at a moment. */
export interface Scene {
  readonly terms: readonly SceneTerm[];
  readonly facts: readonly SceneFact[];
  /** The keys of the terms that bear a ring, as they are chosen or pointed at. */
  readonly marked: ReadonlySet<string>;
  /** The keys of the terms that a user marked as answers: they have a golden ring. */
  readonly gold: ReadonlySet<string>;
  /** The one term whose facts bear their names. */
  readonly focus: string | null;
  /** The facts that lead from the centre to the one in focus. */
  readonly path: ReadonlySet<number>;
  /** The positions of all terms, also of hidden ones: hiding does not move others. */
  readonly extent: readonly Point[];
}

/** An entry of the legend: a group of terms, or the facts that were taken out. */
export interface LegendEntry {
  readonly key: string;
  readonly label: string;
  /** How many there are to see. */
  readonly count: number;
  /** The group; null for the facts that were taken out. */
  readonly group: number | null;
  readonly hollow: boolean;
  readonly hidden: boolean;
}

/** One end of a fact in the table. */
export interface FactEnd {
  readonly key: string;
  readonly group: number;
  readonly id: string;
  /** As the graph holds it: this is searched too. */
  readonly name: string;
  /** As it is printed. */
  readonly label: string;
  readonly hollow: boolean;
}

/** A fact in the table. */
export interface FactRow {
  readonly id: number;
  readonly source: FactEnd;
  readonly relation: RelationRecord;
  readonly target: FactEnd;
  readonly removed: boolean;
  readonly highlighted: boolean;
  /** Why it is removed or highlighted. */
  readonly note: string;
}
