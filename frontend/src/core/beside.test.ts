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
  expect(depthWords({ ...layer, depths: [0.978, 0.0201, 0.0019] })).toBe(
    'Enough: 1 layer 98 %, 2 layers 2 %, 3 layers under 1 %',
  );
});

test('one that always explores all of its layers tells nothing of them', () => {
  expect(depthWords(layer)).toBe('');
});
