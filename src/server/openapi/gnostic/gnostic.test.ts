import { expect, it } from 'vitest';
import { encodeBase64 } from '../../../base/base64.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { gnosticV2 } from './gnostic-v2.ts';
import { gnosticV3 } from './gnostic-v3.ts';

// The documents as gnostic-models 0.7.0 parses them, marshalled by Go's protobuf library.
const V3_MESSAGE = [
  'CgUzLjAuMBIJCgFUMgQxLjM2IsUCCsICCgkvYS97bmFtZX0StAIi0gEKAXQaBHJlYWQqBXJlYWRBQlwSQQoDMjAwEjoKOAoCT0saMgowChBhcHBsaWNhdGlv',
  'bi9qc29uEhwKGhIYChYjL2NvbXBvbmVudHMvc2NoZW1hcy9BEhcKAzQwMRIQCg4KDFVuYXV0aG9yaXplZGodChN4LWt1YmVybmV0ZXMtYWN0aW9uEgYSBGdl',
  'dApqQwofeC1rdWJlcm5ldGVzLWdyb3VwLXZlcnNpb24ta2luZBIgEh5ncm91cDogIiIKa2luZDogQQp2ZXJzaW9uOiB2MQoyOCoHY3JlYXRlQTocChoSFgoU',
  'CgMqLyoSDQoLCgnKAQZzdHJpbmcYAUIPEg0KAzIwMBIGCgQKAk9LaiMKIQoEbmFtZRIEcGF0aBoBZCABUg4KDKABAcoBBnN0cmluZyreAwqkAwqhAwoBQRKb',
  'AwqYA7oBAWLKAQZvYmplY3T6AbQCCiUKAWISIAoeygEHaW50ZWdlcooCCQkAAAAAAAAAAJoCBWludDMyCicKAWMSIgog0gEaEhgKFiMvY29tcG9uZW50cy9z',
  'Y2hlbWFzL0GKAgAKSgoBZBJFCkPKAQVhcnJhefIBEgoQCg7KAQZzdHJpbmeKAgIaAKICIwoWeC1rdWJlcm5ldGVzLWxpc3QtdHlwZRIJEgdhdG9taWMKCiYK',
  'AWUSIQofygEGb2JqZWN0ggITChEKD8oBB2Jvb2xlYW6KAgIQAAokCgFmEh8KHcIBBBICeArCAQQSAnoKygEGc3RyaW5nigIDGgF4CiMKAWcSHgoc2gELCgnK',
  'AQZzdHJpbmfaAQsKCcoBBm51bWJlcgojCgFoEh4KHAgBaQAAAAAAAPg/eKwCygEGb2JqZWN0ggICEAGSAgRhbiBBogJJCh94LWt1YmVybmV0ZXMtZ3JvdXAt',
  'dmVyc2lvbi1raW5kEiYSJC0gZ3JvdXA6ICIiCiAga2luZDogQQogIHZlcnNpb246IHYxCjo1CjMKC0JlYXJlclRva2VuEiQKIgoGYXBpS2V5EgFCGg1hdXRo',
  'b3JpemF0aW9uIgZoZWFkZXI=',
].join('');
const V2_MESSAGE = [
  'CgMyLjASCQoBVBIEMS4zNkKgAhKdAgoJL2Eve25hbWV9Eo8CQugBCgF0GgZjaGFuZ2UqBnBhdGNoQTIQYXBwbGljYXRpb24vanNvbjobYXBwbGljYXRpb24v',
  'anNvbi1wYXRjaCtqc29uQiUKIwohEgRib2R5GgRib2R5IAEqEQoPIy9kZWZpbml0aW9ucy9BQhYSFAoSIy9wYXJhbWV0ZXJzL2xpbWl0Sj0KIgoDMjAwEhsK',
  'GQoCT0sSEwoRCg8jL2RlZmluaXRpb25zL0EKFwoDNDAxEhAKDgoMVW5hdXRob3JpemVkUgVodHRwc2ofChN4LWt1YmVybmV0ZXMtYWN0aW9uEggSBnBhdGNo',
  'CkoiCiASHiIcCAESBHBhdGgaAWQiBG5hbWUqBnN0cmluZ5gBAUqwAgqtAgoBQRKnAiIEYW4gQZoBAWKyAQgKBm9iamVjdMoBwgEKGAoBYhITEgVpbnQzMrIB',
  'CQoHaW50ZWdlcgocCgFjEhcKDyMvZGVmaW5pdGlvbnMvQSIEc2VsZgpFCgFkEkCyAQcKBWFycmF5ugENCguyAQgKBnN0cmluZ/oBIwoWeC1rdWJlcm5ldGVz',
  'LWxpc3QtdHlwZRIJEgdhdG9taWMKCiEKAWUSHKoBDgoMsgEJCgdib29sZWFusgEICgZvYmplY3QKHgoBZhIZogEEEgJ4CqIBBBICegqyAQgKBnN0cmluZ/oB',
  'SQofeC1rdWJlcm5ldGVzLWdyb3VwLXZlcnNpb24ta2luZBImEiQtIGdyb3VwOiAiIgogIGtpbmQ6IEEKICB2ZXJzaW9uOiB2MQpSLAoqCgVsaW1pdBIhEh8a',
  'HRIFcXVlcnkaAWwiBWxpbWl0MgdpbnRlZ2VyoAEBYhEKDwoLQmVhcmVyVG9rZW4SAGo1CjMKC0JlYXJlclRva2VuEiQSIgoGYXBpS2V5Eg1hdXRob3JpemF0',
  'aW9uGgZoZWFkZXIiAUI=',
].join('');

const v3: JsonObject = {
  openapi: '3.0.0',
  info: { title: 'T', version: '1.36' },
  paths: {
    '/a/{name}': {
      get: {
        tags: ['t'],
        description: 'read',
        operationId: 'readA',
        responses: {
          '200': { description: 'OK', content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } },
          '401': { description: 'Unauthorized' },
        },
        'x-kubernetes-action': 'get',
        'x-kubernetes-group-version-kind': { group: '', kind: 'A', version: 'v1' },
      },
      post: {
        operationId: 'createA',
        requestBody: { content: { '*/*': { schema: { type: 'string' } } }, required: true },
        responses: { '200': { description: 'OK' } },
      },
      parameters: [
        { name: 'name', in: 'path', description: 'd', required: true, schema: { type: 'string', uniqueItems: true } },
      ],
    },
  },
  components: {
    schemas: {
      A: {
        description: 'an A',
        type: 'object',
        required: ['b'],
        properties: {
          b: { type: 'integer', format: 'int32', default: 0 },
          c: { default: {}, allOf: [{ $ref: '#/components/schemas/A' }] },
          d: { type: 'array', items: { type: 'string', default: '' }, 'x-kubernetes-list-type': 'atomic' },
          e: { type: 'object', additionalProperties: { type: 'boolean', default: false } },
          f: { type: 'string', default: 'x', enum: ['x', 'z'] },
          g: { oneOf: [{ type: 'string' }, { type: 'number' }] },
          h: { type: 'object', additionalProperties: true, minimum: 1.5, maxLength: 300, nullable: true },
        },
        'x-kubernetes-group-version-kind': [{ group: '', kind: 'A', version: 'v1' }],
      },
    },
    securitySchemes: { BearerToken: { type: 'apiKey', description: 'B', name: 'authorization', in: 'header' } },
  },
};

const v2: JsonObject = {
  swagger: '2.0',
  info: { title: 'T', version: '1.36' },
  paths: {
    '/a/{name}': {
      patch: {
        description: 'change',
        consumes: ['application/json-patch+json'],
        produces: ['application/json'],
        schemes: ['https'],
        tags: ['t'],
        operationId: 'patchA',
        parameters: [
          { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/A' } },
          { $ref: '#/parameters/limit' },
        ],
        responses: {
          '200': { description: 'OK', schema: { $ref: '#/definitions/A' } },
          '401': { description: 'Unauthorized' },
        },
        'x-kubernetes-action': 'patch',
      },
      parameters: [{ uniqueItems: true, type: 'string', description: 'd', name: 'name', in: 'path', required: true }],
    },
  },
  definitions: {
    A: {
      description: 'an A',
      type: 'object',
      required: ['b'],
      properties: {
        b: { type: 'integer', format: 'int32' },
        c: { description: 'self', $ref: '#/definitions/A' },
        d: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
        e: { type: 'object', additionalProperties: { type: 'boolean' } },
        f: { type: 'string', enum: ['x', 'z'] },
      },
      'x-kubernetes-group-version-kind': [{ group: '', kind: 'A', version: 'v1' }],
    },
  },
  parameters: { limit: { uniqueItems: true, type: 'integer', description: 'l', name: 'limit', in: 'query' } },
  securityDefinitions: { BearerToken: { description: 'B', type: 'apiKey', name: 'authorization', in: 'header' } },
  security: [{ BearerToken: [] }],
};

it('encodes v3 documents byte by byte as gnostic does', () => {
  expect(encodeBase64(gnosticV3(v3))).toBe(V3_MESSAGE);
});

it('encodes v2 documents byte by byte as gnostic does', () => {
  expect(encodeBase64(gnosticV2(v2))).toBe(V2_MESSAGE);
});

it('omits values that the messages have no field for', () => {
  expect(gnosticV3({ openapi: '3.0.0', unknown: { deep: [1] }, info: 'no object', paths: [] })).toEqual(
    gnosticV3({ openapi: '3.0.0' }),
  );
});
