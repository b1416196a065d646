/** OpenAPI documents and their structure, without descriptions but for the words that upstream's tests look for. */
import { get, type Topic, topic } from '../request.ts';
import { only, openApiIndex, openApiStructure, operations, type View } from '../views.ts';
import { kindWith } from './custom-kind.ts';

const V3 = [
  'api/v1',
  ...['apps', 'autoscaling', 'batch', 'policy'].map((group) => `apis/${group}/v1`),
  'apis/autoscaling/v2',
  ...[
    'admissionregistration',
    'apiextensions',
    'apiregistration',
    'authentication',
    'authorization',
    'certificates',
    'coordination',
    'discovery',
    'events',
    'flowcontrol.apiserver',
    'networking',
    'node',
    'rbac.authorization',
    'resource',
    'scheduling',
    'storage',
  ].map((group) => `apis/${group}.k8s.io/v1`),
];

/** A view that reports which of the words the descriptions of a document contain. */
function words(...wanted: readonly string[]): View {
  return (body) => {
    const text = JSON.stringify(body);
    return Object.fromEntries(wanted.map((word) => [word, text.includes(word)]));
  };
}

const engravings = kindWith('engravings', { size: { type: 'integer' } });

export const openapi: Topic = topic('openapi', {
  index: [get('/openapi/v3', { view: openApiIndex }), get('/openapi/v3', { user: 'alice', view: openApiIndex })],
  'operations of each document': V3.map((path) => get(`/openapi/v3/${path}`, { view: operations })),
  'structure of each document': V3.map((path) => get(`/openapi/v3/${path}`, { view: openApiStructure })),
  'version 2': [
    get('/openapi/v2', { view: operations }),
    get('/openapi/v2', { view: openApiStructure, accept: 'application/json' }),
    get('/openapi/v2', { view: only('swagger', 'securityDefinitions', 'security') }),
    get('/openapi/v2', { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf', bodyless: true }),
    get('/openapi/v2', { accept: 'text/html', bodyless: true }),
  ],
  // `run_swagger_tests` of the kubectl scripts, and the conformance test of `kubectl explain` with custom resources.
  'words in descriptions': [
    get('/openapi/v2', {
      view: words('list of returned', 'List of services', 'Watch for changes to the described resources'),
    }),
    ...engravings.make,
    get('/openapi/v3/apis/engravings.example.com/v1', {
      until: 200,
      view: words('APIVersion defines', "Standard object's metadata", 'CreationTimestamp is a timestamp'),
    }),
  ],
  'what is not there': [
    get('/openapi/v3/apis/nothing.example/v1'),
    get('/openapi/v1'),
    get('/openapi/v3', { user: 'anonymous' }),
    get('/openapi/v3/api/v1?hash=0000', { bodyless: true }),
    get('/openapi/v3/apis/coordination.k8s.io/v1', {
      accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf',
      bodyless: true,
    }),
  ],
});
