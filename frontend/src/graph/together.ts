/** Facts that a straight line cannot show one by one: several between two terms, and those from a term to itself. */
import type { SceneFact } from './scene';

/** Several facts between two terms, whose lines lie on one another. */
export interface SharedLine {
  readonly ends: readonly [string, string];
  readonly facts: readonly SceneFact[];
}

/** The pairs of terms that several facts join, in either direction. */
export function sharedLines(facts: readonly SceneFact[]): readonly SharedLine[] {
  const lines = new Map<string, SharedLine & { readonly facts: SceneFact[] }>();
  for (const fact of facts) {
    if (fact.source === fact.target) continue;
    const ends: [string, string] = fact.source < fact.target ? [fact.source, fact.target] : [fact.target, fact.source];
    const line = lines.get(ends.join('\n'));
    if (line) line.facts.push(fact);
    else lines.set(ends.join('\n'), { ends, facts: [fact] });
  }
  return [...lines.values()].filter((line) => line.facts.length > 1);
}

/** The facts that lead from a term to itself, by the key of the term. */
export function loopsOf(facts: readonly SceneFact[]): ReadonlyMap<string, readonly SceneFact[]> {
  const loops = new Map<string, SceneFact[]>();
  for (const fact of facts) {
    if (fact.source !== fact.target) continue;
    const same = loops.get(fact.source);
    if (same) same.push(fact);
    else loops.set(fact.source, [fact]);
  }
  return loops;
}
