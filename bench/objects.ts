/** The objects of these benchmarks: JSON of about 1 KB with labels of 24 shapes (sets of keys). */
import { encodeUtf8 } from '../src/base/bytes.ts';

export const PREFIX = 'default/example.com/widgets/';
export const SHAPES = 24;

/** Returns a flat string. A concatenated one takes twice the memory until something reads it. */
export function keyOf(index: number): string {
  return Buffer.from(`${PREFIX}ns-${index % 100}/widget-${index}`, 'latin1').toString('latin1');
}

/** Returns exactly `size` bytes of stored JSON, without a resourceVersion. `own` are additional labels. */
export function objectBytes(index: number, size = 1024, version = 0, own: Record<string, string> = {}): Uint8Array {
  const object = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: {
      name: `widget-${index}`,
      namespace: `ns-${index % 100}`,
      uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      creationTimestamp: '2030-01-01T00:00:00Z',
      generation: version + 1,
      labels: { ...labelsOf(index), ...own },
    },
    spec: { replicas: index % 7, text: '' },
  };
  const short = JSON.stringify(object);
  object.spec.text = 'x'.repeat(Math.max(0, size - short.length));
  return encodeUtf8(JSON.stringify(object));
}

/**
 * The keys depend on `index % SHAPES`. Every object has `app`, two thirds have `tier`; there are 120 different sets.
 */
export function labelsOf(index: number): Record<string, string> {
  const shape = index % SHAPES;
  const labels: Record<string, string> = {};
  if (shape % 2 === 1) labels[`example.com/shape-${shape}`] = 'yes';
  labels['app'] = `app-${index % 10}`;
  if (shape % 3 !== 0) labels['tier'] = index % 5 === 0 ? 'backend' : 'frontend';
  if (shape % 4 === 0) labels[`team-${shape}`] = `team-${index % 8}`;
  labels[`zone-${shape}`] = 'a';
  return labels;
}
