/** Secrets: types with required keys, stringData, immutability. */
import { secrets as at, del, get, patch, post, put, serviceAccounts, type Topic, topic } from '../request.ts';

const secret = (name: string, fields: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, ...(fields['metadata'] as Record<string, unknown> | undefined) },
  ...Object.fromEntries(Object.entries(fields).filter(([key]) => key !== 'metadata')),
});
const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const secrets: Topic = topic('secrets', {
  life: [
    post(at(), secret('a', { data: { k: base64('v') } })),
    get(at('a')),
    put(at('a'), secret('a', { data: { k: base64('w') } })),
    put(at('a'), secret('a', { type: 'other', data: {} })),
    patch('merge', at('a'), { stringData: { s: 'text' } }),
    patch('merge', at('a'), { type: 'changed' }),
    get(`${at()}?fieldSelector=type%3DOpaque`),
    get(`${at()}?fieldSelector=type%3Dother,metadata.name%3Da`),
    get(`${at()}?fieldSelector=data%3Dx`),
    del(at('a')),
  ],
  stringData: [
    post(at(), secret('a', { data: { k: base64('old'), x: base64('x') }, stringData: { k: 'new', y: 'π' } })),
    post(at(), secret('b', { stringData: { 'bad key': 'v' } })),
    post(at(), secret('c', { data: { k: '!' } })),
    post(at(), secret('d', { data: { k: null } })),
    post(at(), secret('e', { stringData: { k: 5 } })),
  ],
  'types ask for their keys': [
    post(at(), secret('tls', { type: 'kubernetes.io/tls' })),
    post(at(), secret('tls', { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } })),
    post(at(), secret('basic', { type: 'kubernetes.io/basic-auth' })),
    post(at(), secret('basic', { type: 'kubernetes.io/basic-auth', stringData: { username: 'u' } })),
    post(at(), secret('ssh', { type: 'kubernetes.io/ssh-auth', stringData: { 'ssh-privatekey': '' } })),
    post(at(), secret('ssh', { type: 'kubernetes.io/ssh-auth', stringData: { 'ssh-privatekey': 'k' } })),
    post(at(), secret('docker', { type: 'kubernetes.io/dockerconfigjson' })),
    post(at(), secret('docker', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': 'no' } })),
    post(at(), secret('docker', { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{}' } })),
    post(at(), secret('dockercfg', { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '[' } })),
    post(at(), secret('dockercfg', { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '{"a":1}' } })),
    post(at(), secret('token', { type: 'kubernetes.io/service-account-token' })),
    post(serviceAccounts(), { metadata: { name: 'builder' } }),
    post(
      at(),
      secret('token', {
        type: 'kubernetes.io/service-account-token',
        metadata: { annotations: { 'kubernetes.io/service-account.name': 'builder' } },
      }),
    ),
    post(at(), secret('bootstrap', { type: 'bootstrap.kubernetes.io/token', stringData: { 'token-id': 'x' } })),
    post(at(), secret('own', { type: 'example.com/own' })),
  ],
  'keys and sizes': [
    post(at(), secret('keys', { data: { 'bad key': 'AA==' } })),
    post(at(), secret('big', { data: { k: base64('x'.repeat(1024 * 1024 + 1)) } })),
  ],
  immutable: [
    post(at(), secret('fixed', { immutable: true, data: { k: base64('v') } })),
    put(at('fixed'), secret('fixed', { immutable: true, data: { k: base64('w') } })),
    put(at('fixed'), secret('fixed', { data: { k: base64('v') } })),
    patch('merge', at('fixed'), { metadata: { annotations: { a: 'b' } } }),
    patch('merge', at('fixed'), { immutable: false }),
  ],
});
