/**
 * Bytes of kinds for which the Go modules keep no golden files; they were written by the modules' own encoder. The
 * other kinds: compat/golden.
 */
import { describe, expect, it } from 'vitest';
import { decodeObject } from '../apimachinery/protobuf/decode.ts';
import { encodeObject } from '../apimachinery/protobuf/encode.ts';
import type { JsonObject } from '../base/json-value.ts';
import { kindView } from './views.ts';

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

const API_SERVICE = '6b3873000a270a19617069726567697374726174696f6e2e6b38732e696f2f7631120a41504953657276696365';

const cases: readonly { name: string; group: string; object: JsonObject; bytes: string }[] = [
  {
    name: 'an APIService',
    group: 'apiregistration.k8s.io',
    object: {
      kind: 'APIService',
      apiVersion: 'apiregistration.k8s.io/v1',
      metadata: { name: 'v1.a.example' },
      spec: {
        service: { namespace: 'n', name: 's', port: 8443 },
        group: 'a.example',
        version: 'v1',
        insecureSkipTLSVerify: true,
        caBundle: 'AQI=',
        groupPriorityMinimum: 100,
        versionPriority: 10,
      },
      status: {
        conditions: [{ type: 'Available', status: 'True', lastTransitionTime: null, reason: 'r', message: 'm' }],
      },
    },
    bytes: `${API_SERVICE}12610a1c0a0c76312e612e6578616d706c6512001a0022002a0032003800420012240a090a016e12017318fb411209612e6578616d706c651a02763120012a0201023864400a1a1b0a190a09417661696c61626c651204547275651a002201722a016d1a002200`,
  },
  {
    name: 'an empty APIService',
    group: 'apiregistration.k8s.io',
    object: {
      kind: 'APIService',
      apiVersion: 'apiregistration.k8s.io/v1',
      metadata: {},
      spec: { groupPriorityMinimum: 0, versionPriority: 0 },
      status: {},
    },
    bytes: `${API_SERVICE}12200a100a0012001a0022002a00320038004200120a12001a002000380040001a001a002200`,
  },
  {
    name: 'a List of anything',
    group: '',
    object: { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [{ a: 1 }] },
    bytes: '6b3873000a0a0a02763112044c69737412140a070a001201371a0012090a077b2261223a317d1a002200',
  },
];

describe('kinds without golden files', () => {
  it.each(cases)('$name has the bytes of the reference, and comes back from them', ({ group, object, bytes }) => {
    const view = kindView(group, 'v1', object['kind'] as string);
    const encoded = encodeObject(view, object);
    expect(encoded.ok && hex(encoded.bytes)).toBe(bytes);
    expect(decodeObject(bytesOf(bytes), () => view)).toEqual({ ok: true, value: object });
  });
});
