/** Dry run and field validation, and other parameters of writes. */
import { configMap, configMaps, del, get, post, put, type Step, secrets, type Topic, topic } from '../request.ts';

const odd = {
  ...(configMap('odd') as Record<string, unknown>),
  odd: 1,
  metadata: { name: 'odd', weird: true, labels: { a: 'b' } },
};
const json = { type: 'application/json' } as const;
const twice =
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice","name":"twice"},"data":{"a":"1","a":"2","b":"3"}}';
const yamlTwice = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: yaml-twice}\ndata:\n  a: "1"\n  a: "2"\nodd: 1\n';
const modes = (make: (query: string) => Step): Step[] =>
  [
    '',
    '?fieldValidation=Ignore',
    '?fieldValidation=Warn',
    '?fieldValidation=Strict',
    '?fieldValidation=Odd',
    '?fieldValidation=',
  ].map(make);

export const options: Topic = topic('options', {
  'dry run': [
    post(`${configMaps()}?dryRun=All`, configMap('a'), { save: { uid: 'metadata.uid' } }),
    get(configMaps('a')),
    post(configMaps(), configMap('a')),
    post(`${configMaps()}?dryRun=All`, configMap('a')),
    put(`${configMaps('a')}?dryRun=All`, configMap('a', { data: { k: 'v' } })),
    put(`${configMaps('b')}?dryRun=All`, configMap('b')),
    del(`${configMaps('a')}?dryRun=All`),
    del(configMaps('a'), { dryRun: ['All'] }),
    del(configMaps('a'), { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['Odd'] }),
    get(configMaps('a')),
    post(`${configMaps()}?dryRun=Odd`, configMap('c')),
    post(`${configMaps()}?dryRun=`, configMap('c')),
    post(`${configMaps()}?dryRun=All&dryRun=All`, configMap('d')),
    post(`${configMaps()}?dryRun=All`, { metadata: { generateName: 'gen-' } }),
    post('/api/v1/namespaces?dryRun=All', { metadata: { name: '{{ns}}-dry' } }),
  ],
  'unknown fields on create': modes((query) => post(configMaps() + query, odd)),
  'unknown fields on update': [
    post(configMaps(), configMap('odd')),
    ...modes((query) => put(configMaps('odd') + query, odd)),
  ],
  'duplicate keys': modes((query) => post(configMaps() + query, twice, json)),
  'duplicate keys in YAML': modes((query) => post(configMaps() + query, yamlTwice, { type: 'application/yaml' })),
  'wrong case and nested unknown fields': [
    post(`${configMaps()}?fieldValidation=Strict`, { Kind: 'ConfigMap', APIVERSION: 'v1', metadata: { Name: 'x' } }),
    post(`${configMaps()}?fieldValidation=Warn`, { metadata: { name: 'case', Labels: {} }, Data: { a: 'b' } }),
    post(`${secrets()}?fieldValidation=Strict`, {
      metadata: { name: 's', ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u', odd: 1 }], odd: [] },
      odd: {},
      also: null,
    }),
    post(`${configMaps()}?fieldValidation=Strict`, '{"metadata":{"name":"many"},"a":1,"b":1,"c":1,"a":2}', json),
  ],
  'field managers': [
    post(`${configMaps()}?fieldManager=me`, configMap('a')),
    post(`${configMaps()}?fieldManager=${'m'.repeat(129)}`, configMap('b')),
    post(`${configMaps()}?fieldManager=bad%01`, configMap('c')),
    put(`${configMaps('a')}?fieldManager=${'m'.repeat(129)}`, configMap('a')),
  ],
  pretty: [
    post(configMaps(), configMap('a', { data: { k: 'v', a: 'b' } })),
    get(`${configMaps('a')}?pretty=true`, { bodyless: true }),
    get(`${configMaps('missing')}?pretty=true`, { exact: true }),
    get(configMaps('missing'), { exact: true }),
    get(`${configMaps('missing')}?pretty=false`, { exact: true, headers: { 'user-agent': 'curl/8.0' } }),
    get(configMaps('missing'), { exact: true, headers: { 'user-agent': 'curl/8.0' } }),
    get(configMaps('missing'), { exact: true, headers: { 'user-agent': 'Mozilla/5.0' } }),
    get(configMaps('missing'), { exact: true, accept: 'application/yaml' }),
  ],
  timeouts: [
    get(`${configMaps()}?timeout=5s`),
    get(`${configMaps()}?timeout=odd`),
    get(`${configMaps()}?timeoutSeconds=odd`),
  ],
});
