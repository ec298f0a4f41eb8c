/** The kinds of a graph as a small drawing: a node a kind, and a line for all relations from one to another. */
import { hierarchy, pack } from 'd3-hierarchy';

import type { SchemaOut } from '../api/explorer';
import type { Point } from '../core/drawing/layout';
import { nameShown } from '../core/words/shown';
import { number } from '../core/words/format';
import type { Scene, SceneFact, SceneTerm } from '../graph/scene';
import { kindLabels } from '../core/words/kinds';

/** So much room a kind has, whatever it holds. */
const ROOM = 1.6;
const ORIGIN: Point = { x: 0, y: 0 };

interface Heap {
  readonly id?: string;
  readonly children?: readonly Heap[];
}

/** The drawing of the first kinds of a schema, of which one may be chosen. */
export function schemaScene(schema: SchemaOut, most: number, chosen: string | null): Scene {
  const kinds = schema.kinds.slice(0, most);
  const root = hierarchy<Heap>({ children: kinds.map(({ id }) => ({ id })) }).sum(() => 1);
  const places = new Map<string, Point>();
  if (kinds.length > 0) {
    const packed = pack<Heap>().radius(() => ROOM)(root);
    for (const { data, x, y } of packed.leaves()) if (data.id !== undefined) places.set(data.id, { x, y });
  }
  const labels = kindLabels(schema.kinds);
  const terms = kinds.map(({ id, label, entities }, index): SceneTerm => ({
    key: id,
    group: index,
    label: `${labels.get(id) ?? label} ${number(entities)}`,
    hollow: false,
    // Its name stands beneath it.
    centre: true,
    origin: undefined,
    at: places.get(id) ?? ORIGIN,
    removed: false,
    pinned: false,
  }));
  const lines = new Map<string, SceneFact>();
  for (const { relation, source_kind: source, target_kind: target } of schema.relations) {
    if (!source || !target || source === target || !places.has(source) || !places.has(target)) continue;
    const key = `${source}\n${target}`;
    const known = lines.get(key);
    const label = known ? `${known.label} and more` : nameShown(relation.label);
    lines.set(key, {
      id:
        known?.id ??
        lineId(
          source,
          target,
          kinds.map(({ id }) => id),
        ),
      source,
      target,
      label: known?.label.endsWith(' and more') ? known.label : label,
      reverse: false,
      removed: false,
      highlighted: false,
    });
  }
  const isThere = chosen !== null && places.has(chosen);
  return {
    terms,
    facts: [...lines.values()],
    marked: isThere ? new Set([chosen]) : new Set(),
    gold: new Set(),
    focus: isThere ? chosen : null,
    path: new Set(),
    extent: [...places.values()],
  };
}

/** A line has the same number as long as the kinds are the same. */
function lineId(source: string, target: string, kinds: readonly string[]): number {
  return kinds.indexOf(source) * kinds.length + kinds.indexOf(target);
}
