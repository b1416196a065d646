/** Facts of a part of core/v1 for tests, and helpers to use them. */
import { BugError } from '../../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import {
  type AnyView,
  createStructView,
  type FieldView,
  type ListView,
  type MapView,
  type ScalarType,
  type ScalarView,
  type StructView,
  type TypeView,
  type WireFacts,
} from '../type-view.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';

const scalars = new Map<ScalarType, ScalarView>();

export function scalar(type: ScalarType): ScalarView {
  const view: ScalarView = scalars.get(type) ?? { kind: 'scalar', scalar: type };
  scalars.set(type, view);
  return view;
}

export function list(items: TypeView | ScalarType): ListView {
  return { kind: 'list', items: typeof items === 'string' ? scalar(items) : items, listType: 'atomic', mapKeys: [] };
}

export function map(values: TypeView | ScalarType): MapView {
  return { kind: 'map', atomic: false, values: typeof values === 'string' ? scalar(values) : values };
}

export function any(raw: AnyView['raw']): AnyView {
  return { kind: 'any', raw };
}

/**
 * A field is `[name, number, type, flags]`. Flags: `?` omitempty, `*` pointer, `0` omitzero, `[` wrapped, `@n` inside
 * inlined message n.
 */
export type FieldFacts = readonly [
  name: string,
  number: number | undefined,
  type: TypeView | ScalarType | (() => TypeView),
  flags?: string,
];

export function struct(name: string, ...facts: readonly FieldFacts[]): StructView {
  return createStructView(name, () => facts.map(fieldOf));
}

function fieldOf([name, number, type, flags = '']: FieldFacts): FieldView {
  const wire: WireFacts | undefined =
    number === undefined
      ? undefined
      : {
          number,
          pointer: flags.includes('*'),
          omitEmpty: flags.includes('?'),
          omitZero: flags.includes('0'),
          wrapped: flags.includes('['),
          inline: [...flags.matchAll(/@(\d+)/g)].map((match) => Number(match[1])),
        };
  return {
    name,
    type: typeof type === 'string' ? scalar(type) : typeof type === 'function' ? type() : type,
    patchStrategies: [],
    patchMergeKey: undefined,
    required: false,
    nullable: false,
    defaultValue: undefined,
    wire,
  };
}

export const objectMeta: StructView = struct(
  'ObjectMeta',
  ['name', 1, 'string', '?'],
  ['namespace', 3, 'string', '?'],
  ['generation', 7, 'int64', '?'],
  ['creationTimestamp', 8, 'time', '?0'],
  ['deletionTimestamp', 9, 'time', '?*'],
  ['labels', 11, map('string'), '?'],
  ['finalizers', 14, list('string'), '?'],
  [
    'managedFields',
    17,
    list(struct('ManagedFieldsEntry', ['manager', 1, 'string', '?'], ['fieldsV1', 7, any('fields-v1'), '?*'])),
    '?',
  ],
);
export const resources: StructView = struct(
  'ResourceRequirements',
  ['limits', 1, map('quantity'), '?'],
  ['requests', 2, map('quantity'), '?'],
);
export const httpGet: StructView = struct('HTTPGetAction', ['path', 1, 'string', '?'], ['port', 2, 'int-or-string']);
export const probe: StructView = struct(
  'Probe',
  ['httpGet', 2, httpGet, '?*@1'],
  ['initialDelaySeconds', 2, 'int32', '?'],
  ['terminationGracePeriodSeconds', 7, 'int64', '?*'],
);
export const container: StructView = struct(
  'Container',
  ['name', 1, 'string'],
  ['command', 3, list('string'), '?'],
  ['resources', 8, resources, '?'],
  ['livenessProbe', 10, probe, '?*'],
  ['stdin', 16, 'boolean', '?'],
);
export const volume: StructView = struct(
  'Volume',
  ['name', 1, 'string'],
  ['emptyDir', 2, struct('EmptyDir', ['medium', 1, 'string', '?'], ['sizeLimit', 2, 'quantity', '?*']), '?*@2'],
  ['configMap', 19, struct('ConfigMapVolume', ['name', 1, 'string', '?@1'], ['optional', 4, 'boolean', '?*']), '?*@2'],
);
export const podSpec: StructView = struct(
  'PodSpec',
  ['volumes', 1, list(volume), '?'],
  ['containers', 2, list(container)],
  ['activeDeadlineSeconds', 5, 'int64', '?*'],
  ['securityContext', 14, struct('PodSecurityContext', ['supplementalGroups', 4, list('int64'), '?']), '?*'],
);
export const pod: StructView = struct(
  'Pod',
  ['apiVersion', undefined, 'string'],
  ['kind', undefined, 'string'],
  ['metadata', 1, objectMeta, '?'],
  ['spec', 2, podSpec, '?'],
);
export const configMap: StructView = struct(
  'ConfigMap',
  ['metadata', 1, objectMeta, '?'],
  ['immutable', 4, 'boolean', '?*'],
  ['data', 2, map('string'), '?'],
  ['binaryData', 3, map('bytes'), '?'],
);
export const event: StructView = struct(
  'Event',
  ['metadata', 1, objectMeta],
  ['firstTimestamp', 6, 'time', '?'],
  ['count', 8, 'int32', '?'],
  ['eventTime', 10, 'micro-time', '?'],
);
export const node: StructView = struct(
  'Node',
  ['value', 1, 'int64', '?'],
  ['next', 2, () => node, '?*'],
  ['all', 3, () => list(node), '?'],
);
export const odds: StructView = struct(
  'Odds',
  ['raw', 1, any('raw-extension'), '?'],
  ['json', 2, any('json'), '?*'],
  ['items', 3, list(any('raw-extension'))],
  ['verbs', 4, list('string'), '['],
  ['extra', 5, map(list('string')), '?'],
  ['timeout', 6, 'duration'],
  ['caBundle', 7, 'bytes', '?'],
  ['key', 8, 'bytes'],
  ['ratio', 9, 'double', '?'],
  ['small', 10, 'float', '?'],
  ['ports', 11, list('int32'), '?'],
  ['unsigned', 12, 'uint64', '?'],
  ['port', 13, 'uint32', '?*'],
  ['amount', 14, 'quantity', '?'],
);

/** A JSON schema as in apiextensions/v1: its `items` is a schema or a list of schemas, and so on. */
export const schema: StructView = struct(
  'JSONSchemaProps',
  ['type', 5, 'string', '?'],
  ['items', 30, either('schema', 1, 'jSONSchemas', 2, () => list(schema)), '?*'],
  ['properties', 32, () => map(schema), '?'],
  ['dependencies', 36, map(either('schema', 1, 'property', 2, () => list('string'))), '?'],
);

/** An object under the first name, a list under the second, null for neither. */
function either(one: string, oneNumber: number, many: string, manyNumber: number, items: () => ListView): AnyView {
  const view: StructView = struct('Either', [one, oneNumber, () => schema, '?*'], [many, manyNumber, items, '?']);
  return {
    kind: 'any',
    raw: 'json',
    message: {
      view: () => view,
      toFields: (value) =>
        Array.isArray(value) ? { [many]: value } : isJsonObject(value) ? { [one]: value } : undefined,
      fromFields: (fields) => fields[many] ?? fields[one] ?? null,
    },
  };
}

export function encoded(view: StructView, value: JsonValue): Uint8Array {
  const result = encodeMessage(view, value);
  if (!result.ok) throw new BugError(`${result.error.message} at ${result.error.path}`);
  return Uint8Array.from(result.bytes);
}

export function decoded(view: StructView, bytes: Uint8Array): JsonObject {
  const result = decodeMessage(view, bytes);
  if (!result.ok) throw new BugError(`${result.error.message} at ${result.error.offset}`);
  return result.value;
}

export function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text.replaceAll(' ', '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
