/**
 * Authorization of subresources that take connections: which verb each HTTP method needs, for plain requests and for
 * upgrades to WebSocket and SPDY. The pod has no node and no address, and the Service no endpoints, so an authorized
 * request ends with an error of the object and never leaves the server.
 */
import { inNamespace, post, RBAC, type Step, send, serviceAccounts, type Topic, topic } from '../request.ts';

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];
const UPGRADES = ['', 'websocket', 'SPDY/3.1'];
/** The users and the verbs that each of them may use. Impersonation makes them unique to a case. */
const USERS: Readonly<Record<string, readonly string[]>> = {
  reader: ['get'],
  creator: ['create'],
  both: ['get', 'create'],
  writer: ['update', 'patch', 'delete'],
  all: ['*'],
  none: [],
};

/** Grants the verbs on the resources, in every namespace. */
function grants(resources: readonly string[]): Step[] {
  const group = 'rbac.authorization.k8s.io';
  return Object.entries(USERS).flatMap(([user, verbs]) => {
    if (verbs.length === 0) return [];
    const name = `{{ns}}-${user}`;
    return [
      post(`${RBAC}/clusterroles`, { metadata: { name }, rules: [{ apiGroups: [''], resources, verbs }] }),
      post(`${RBAC}/clusterrolebindings`, {
        metadata: { name },
        subjects: [{ kind: 'User', apiGroup: group, name }],
        roleRef: { apiGroup: group, kind: 'ClusterRole', name },
      }),
    ];
  });
}

/** Sends every method as every user. GET and POST are also sent as upgrades. */
function attempts(path: string): Step[] {
  const upgrade = (protocol: string): Readonly<Record<string, string>> => {
    if (protocol === '') return {};
    const websocket = { 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' };
    return { connection: 'Upgrade', upgrade: protocol, ...(protocol === 'websocket' ? websocket : {}) };
  };
  return Object.keys(USERS).flatMap((user) =>
    METHODS.flatMap((method) =>
      (method === 'GET' || method === 'POST' ? UPGRADES : ['']).map((protocol) =>
        send(method, path, { headers: { 'impersonate-user': `{{ns}}-${user}`, ...upgrade(protocol) } }),
      ),
    ),
  );
}

/** Requests to a subresource of a Pod without a node. */
function podSteps(subresource: string, path = ''): Step[] {
  return [
    ...grants([`pods/${subresource}`]),
    post(serviceAccounts(), { metadata: { name: 'runner' }, automountServiceAccountToken: false }),
    post(inNamespace('v1', 'pods'), {
      metadata: { name: 'p' },
      spec: { serviceAccountName: 'runner', containers: [{ name: 'c', image: 'i' }] },
    }),
    ...attempts(inNamespace('v1', 'pods', `p/${subresource}${path}`)),
    ...attempts(inNamespace('v1', 'pods', `missing/${subresource}${path}`)),
  ];
}

export const connects: Topic = topic('connects', {
  'pods exec': podSteps('exec', '?command=id&stdout=true'),
  'pods attach': podSteps('attach', '?stdout=true'),
  'pods portforward': podSteps('portforward'),
  'pods log': podSteps('log'),
  'pods proxy': [
    ...podSteps('proxy'),
    ...attempts(inNamespace('v1', 'pods', 'p/proxy/path/below')),
    ...attempts(inNamespace('v1', 'pods', 'http:p:80/proxy/')),
  ],
  'services proxy': [
    ...grants(['services/proxy']),
    post(inNamespace('v1', 'services'), {
      metadata: { name: 's' },
      spec: { clusterIP: 'None', ports: [{ port: 80 }] },
    }),
    ...attempts(inNamespace('v1', 'services', 's/proxy')),
    ...attempts(inNamespace('v1', 'services', 's:80/proxy/path/below')),
  ],
  'nodes proxy': [
    ...grants(['nodes/proxy']),
    post('/api/v1/nodes', { metadata: { name: '{{ns}}' } }),
    ...attempts('/api/v1/nodes/{{ns}}/proxy'),
    ...attempts('/api/v1/nodes/{{ns}}/proxy/metrics'),
    ...attempts('/api/v1/nodes/{{ns}}/metrics'),
  ],
  'permission for one object': [
    post(`${RBAC}/clusterroles`, {
      metadata: { name: '{{ns}}-one' },
      rules: [
        { apiGroups: [''], resources: ['pods/exec'], verbs: ['get'] },
        { apiGroups: [''], resources: ['pods/exec'], verbs: ['create'], resourceNames: ['p'] },
      ],
    }),
    post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: '{{ns}}-one' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: '{{ns}}-one' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: '{{ns}}-one' },
    }),
    ...['p', 'q'].flatMap((name) =>
      ['GET', 'POST'].map((method) =>
        send(method, inNamespace('v1', 'pods', `${name}/exec`), { headers: { 'impersonate-user': '{{ns}}-one' } }),
      ),
    ),
    send('GET', inNamespace('v1', 'pods', 'q/exec?dryRun=All'), { headers: { 'impersonate-user': '{{ns}}-one' } }),
  ],
});
