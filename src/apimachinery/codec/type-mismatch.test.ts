import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../base/json-value.ts';
import {
  createStructView,
  type FieldView,
  type ListView,
  type MapView,
  type ScalarType,
  type ScalarView,
  type StructView,
  type TypeView,
} from '../type-view.ts';
import { findTypeMismatch } from './type-mismatch.ts';

const scalar = (type: ScalarType): ScalarView => ({ kind: 'scalar', scalar: type });
const map = (values: TypeView): MapView => ({ kind: 'map', atomic: false, values });
const list = (items: TypeView): ListView => ({ kind: 'list', items, listType: 'atomic', mapKeys: [] });

interface Shape {
  readonly type: TypeView;
  readonly goType?: string;
  readonly goInline?: readonly string[];
  readonly pointer?: boolean;
}

function struct(name: string, shapes: () => Record<string, TypeView | Shape>): StructView {
  return createStructView(name, () =>
    Object.entries(shapes()).map(([field, shape]): FieldView => {
      const { type, pointer = true, ...go } = 'type' in shape ? shape : { type: shape };
      const wire = { number: 1, pointer, omitEmpty: true };
      const rest = { patchStrategies: [], patchMergeKey: undefined, required: false, nullable: false };
      return { name: field, type, ...rest, defaultValue: undefined, wire, ...go };
    }),
  );
}

const container = struct('k8s.io/api/core/v1.Container', () => ({
  name: scalar('string'),
  limits: { type: map(scalar('quantity')), goType: 'v1.ResourceList' },
  policy: { type: scalar('string'), goType: 'v1.PullPolicy' },
  ports: { type: list(scalar('int32')), goType: '[]int32' },
}));
const spec: StructView = struct('k8s.io/api/core/v1.PodSpec', () => ({
  replicas: scalar('int32'),
  seconds: scalar('int64'),
  ratio: scalar('float'),
  port: scalar('int-or-string'),
  wait: { type: scalar('duration'), pointer: false },
  since: scalar('micro-time'),
  containers: list(container),
  modes: { type: list(scalar('string')), goType: '[]v1.Mode' },
  emptyDir: { type: scalar('boolean'), goInline: ['VolumeSource'] },
  nested: spec,
  raw: { kind: 'any', raw: 'raw-extension' },
}));
const pod = struct('k8s.io/api/core/v1.Pod', () => ({
  metadata: struct('k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta', () => ({
    labels: map(scalar('string')),
    creationTimestamp: scalar('time'),
  })),
  spec,
  data: map(scalar('bytes')),
}));

const QUANTITY = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const into = (what: string, field: string, type: string): string =>
  `json: cannot unmarshal ${what} into Go struct field ${field} of type ${type}`;

describe('the first wrong type', () => {
  it.each<[JsonValue, string]>([
    [[], 'json: cannot unmarshal array into Go value of type v1.Pod'],
    [{ spec: 'x' }, into('string', 'Pod.spec', 'v1.PodSpec')],
    [{ metadata: { labels: 'x' } }, into('string', 'ObjectMeta.metadata.labels', 'map[string]string')],
    [{ metadata: { labels: { a: 1 } } }, into('number', 'ObjectMeta.metadata.labels', 'string')],
    [{ metadata: { creationTimestamp: 1 } }, into('number', 'ObjectMeta.metadata.creationTimestamp', 'string')],
    [{ spec: { replicas: '1' } }, into('string', 'PodSpec.spec.replicas', 'int32')],
    [{ spec: { replicas: 1.5 } }, into('number 1.5', 'PodSpec.spec.replicas', 'int32')],
    [{ spec: { replicas: 2147483648 } }, into('number 2147483648', 'PodSpec.spec.replicas', 'int32')],
    [{ spec: { seconds: 1e21 } }, into('number 1e+21', 'PodSpec.spec.seconds', 'int64')],
    [{ spec: { ratio: 1e39 } }, into('number 1e+39', 'PodSpec.spec.ratio', 'float32')],
    [{ spec: { port: 1.5 } }, into('number 1.5', 'PodSpec.spec.port', 'int32')],
    [{ spec: { port: {} } }, into('object', 'PodSpec.spec.port', 'int32')],
    [{ spec: { containers: {} } }, into('object', 'PodSpec.spec.containers', '[]v1.Container')],
    [{ spec: { containers: [{}, 5] } }, into('number', 'PodSpec.spec.containers', 'v1.Container')],
    [{ spec: { containers: [{ policy: 5 }] } }, into('number', 'Container.spec.containers.policy', 'v1.PullPolicy')],
    [{ spec: { containers: [{ limits: [] }] } }, into('array', 'Container.spec.containers.limits', 'v1.ResourceList')],
    [{ spec: { containers: [{ ports: [1, true] }] } }, into('bool', 'Container.spec.containers.ports', 'int32')],
    [{ spec: { modes: [1] } }, into('number', 'PodSpec.spec.modes', 'v1.Mode')],
    [{ spec: { emptyDir: 1 } }, into('number', 'PodSpec.spec.VolumeSource.emptyDir', 'bool')],
    [{ data: { a: [1, 256] } }, into('number 256', 'Pod.data', 'uint8')],
    [{ data: { a: 'YQ=' } }, 'illegal base64 data at input byte 3'],
    [{ data: { a: '\u00e9' } }, 'illegal base64 data at input byte 0'],
    [{ data: { a: 'YWJjYQ' } }, 'illegal base64 data at input byte 4'],
    [{ data: { a: 'YQ==x' } }, 'illegal base64 data at input byte 4'],
    [{ spec: { wait: null } }, 'time: invalid duration ""'],
    [{ spec: { wait: '5' } }, 'time: missing unit in duration "5"'],
    [{ spec: { containers: [{ limits: { cpu: true } }] } }, QUANTITY],
    [{ spec: { containers: [{ limits: { cpu: '1\n' } }] } }, QUANTITY],
    [{ spec: { containers: [{ limits: { cpu: '1mm' } }] } }, "unable to parse quantity's suffix"],
    [
      { metadata: { creationTimestamp: 'x' } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
  ])('%j', (value, message) => {
    expect(findTypeMismatch(value, pod)).toBe(message);
  });

  it('is the earlier of two', () => {
    expect(findTypeMismatch({ spec: { modes: 1, replicas: 'x' } }, pod)).toBe(
      into('number', 'PodSpec.spec.modes', '[]v1.Mode'),
    );
  });

  it('is overridden by a text that cannot be parsed, which ends decoding', () => {
    const value = { spec: { modes: 1, containers: [{ limits: { cpu: '' } }], since: 'x' } };
    expect(findTypeMismatch(value, pod)).toBe(QUANTITY);
  });
});

describe('what fits', () => {
  it.each<JsonValue>([
    null,
    { metadata: null, spec: { replicas: null, containers: [null], modes: [null] }, data: { a: null } },
    { metadata: { labels: {}, creationTimestamp: '2024-02-29T12:00:00Z' }, unknown: [] },
    { spec: { replicas: -2147483648, seconds: 9223372036854775807n, ratio: 1, port: 'http', wait: '1h' } },
    { spec: { port: 80, containers: [{ limits: { cpu: 1.5, memory: ' 1Ki ' } }], raw: [1, 'x'] } },
    { data: { a: 'YQ==', b: 'YW\nJj', c: [1, null, 255] } },
  ])('%#', (value) => {
    expect(findTypeMismatch(value, pod)).toBeUndefined();
  });

  it('may be deep', () => {
    let value: JsonValue = { replicas: 'x' };
    for (let i = 0; i < 20_000; i++) value = { nested: value };
    expect(findTypeMismatch({ spec: value }, pod)).toMatch(
      /^json: cannot unmarshal string into .*nested\.replicas of type int32$/,
    );
  });
});
