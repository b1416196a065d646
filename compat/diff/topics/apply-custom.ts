/** Server-side apply to custom resources, also where our server goes further than the reference. */
import { get, patch, type Step, type Topic, topic } from '../request.ts';
import { customKind, versionWith } from './custom-kind.ts';
import type { Fields } from './definition-bodies.ts';

const VERSION = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        text: { type: 'string', default: 'd' },
        set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        keyed: {
          type: 'array',
          items: {
            type: 'object',
            required: ['port'],
            properties: {
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
              name: { type: 'string' },
            },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const applied = customKind('applieds', [
  versionWith(VERSION, { subresources: { status: {} } }),
  versionWith(VERSION, { name: 'v2', storage: false, subresources: { status: {} } }),
]);
const REPLICAS: Fields = versionWith(
  {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
      status: { type: 'object', properties: { replicas: { type: 'integer' } } },
    },
  },
  {
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    },
  },
);
const scaled = customKind('scaleds', [REPLICAS]);
const versions = customKind('gonevers', [REPLICAS]);
const applyCustom = (manager: string, fields: Fields, version = 'v1', rest = ''): Step =>
  patch('apply', `${applied.at('a', rest, version)}?fieldManager=${manager}`, applied.object('a', fields, version));

export const customApply: Topic = topic('custom apply', {
  'lists, versions and status': [
    ...applied.make,
    applyCustom('one', { spec: { set: ['a', 'b'], keyed: [{ port: 1 }, { port: 1, protocol: 'UDP' }] } }),
    applyCustom('two', { spec: { set: ['c'], keyed: [{ port: 2, name: 'x' }], free: { a: { b: 1 } } } }, 'v2'),
    applyCustom('two', { spec: { text: 'x' } }, 'v2'),
    applyCustom('one', { spec: { set: ['b'], keyed: [{ port: 1, protocol: 'TCP', name: 'n' }] } }),
    applyCustom('three', { status: { phase: 'x' } }, 'v1', '/status'),
    applyCustom('three', { status: { phase: 'y' }, spec: { text: 'y' } }, 'v2', '/status'),
    applyCustom('one', { status: { phase: 'z' } }),
    get(applied.at('a')),
    get(applied.at('a', '', 'v2')),
  ],
  'scale, which the reference refuses': [
    ...scaled.make,
    scaled.create('a', { spec: { replicas: 1 } }),
    patch('apply', `${scaled.at('a', '/scale')}?fieldManager=hpa&force=true`, {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'a', namespace: '{{ns}}' },
      spec: { replicas: 3 },
    }),
    get(scaled.at('a')),
  ],
  'managers of a version that is gone': [
    ...versions.make,
    versions.create('b', { spec: { replicas: 1 } }),
    patch('merge', `${versions.at('b')}?fieldManager=x`, {
      metadata: {
        managedFields: [
          {
            manager: 'gone',
            operation: 'Apply',
            apiVersion: 'gonevers.example.com/v0',
            fieldsType: 'FieldsV1',
            fieldsV1: {},
          },
          {
            manager: 'kept',
            operation: 'Apply',
            apiVersion: 'gonevers.example.com/v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': { 'f:replicas': {} } },
          },
        ],
      },
    }),
    patch('apply', `${versions.at('b')}?fieldManager=y`, versions.object('b', { spec: { replicas: 1 } })),
  ],
});
