import { expect, test } from 'vitest';
import { depthWords } from './beside';

const layer = {
  kind: 'layer_explored' as const,
  layer: 1,
  layers: 1,
  explorer: 'x',
  keep: 40,
  groups: [],
  groups_total: 0,
  entities_before: 1,
  entities_after: 1,
  edges_total: 0,
  edges_kept: 0,
  seconds: 0,
};

test('an explorer that chooses how far it looks tells how probable each number of layers is', () => {
  expect(depthWords({ ...layer, depths: [0.978, 0.0201, 0.0019] })).toEqual([
    '1 layer enough: 98 %',
    '2 layers enough: 2 %',
    '3 layers enough: under 1 %',
  ]);
});

test('one that always explores all of its layers tells nothing of them', () => {
  expect(depthWords(layer)).toEqual([]);
});
