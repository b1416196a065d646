/** Discovery: the lists, the aggregated form, and their negotiation. */
import { get, send, type Topic, topic } from '../request.ts';
import { builtInDiscovery, builtInGroups, builtInPaths } from '../views.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const AGGREGATED_BETA = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
const KUBECTL = `${AGGREGATED},${AGGREGATED_BETA},application/json`;

export const discovery: Topic = topic('discovery', {
  'the root lists paths': [get('/', { view: builtInPaths }), get('/', { user: 'alice', view: builtInPaths })],
  'legacy group': [get('/api'), get('/api', { user: 'alice' }), get('/api/'), get('/api', { user: 'anonymous' })],
  'legacy lists': [
    get('/apis', { view: builtInGroups }),
    get('/apis/', { view: builtInGroups }),
    get('/api/v1'),
    get('/api/v1/'),
    get('/apis/events.k8s.io'),
    get('/apis/events.k8s.io/v1'),
    get('/apis/coordination.k8s.io'),
    get('/apis/coordination.k8s.io/v1'),
    get('/apis/rbac.authorization.k8s.io'),
    get('/apis/rbac.authorization.k8s.io/v1'),
    get('/apis/authentication.k8s.io'),
    get('/apis/authentication.k8s.io/v1'),
    get('/apis/authorization.k8s.io'),
    get('/apis/authorization.k8s.io/v1'),
    ...['apps', 'batch', 'policy', 'autoscaling', 'storage.k8s.io', 'networking.k8s.io', 'resource.k8s.io'].flatMap(
      (group) => [get(`/apis/${group}`), get(`/apis/${group}/v1`)],
    ),
    get('/apis/autoscaling/v2'),
    get('/apis/batch/v1beta1'),
    get('/apis/resource.k8s.io/v1beta1'),
  ],
  'groups and versions that are not there': [
    get('/apis/nothing.example'),
    get('/apis/nothing.example/v1'),
    get('/apis/rbac.authorization.k8s.io/v9'),
    get('/apis/coordination.k8s.io/v1beta1'),
    get('/api/v2'),
    get('/apis/nothing.example/v1/things'),
    get('/apis/nothing.example/v1/namespaces/{{ns}}/things/a'),
  ],
  aggregated: [
    get('/api', { accept: AGGREGATED, view: builtInDiscovery }),
    get('/apis', { accept: AGGREGATED, view: builtInDiscovery }),
    get('/api', { accept: KUBECTL, view: builtInDiscovery }),
    get('/apis', { accept: KUBECTL, view: builtInDiscovery }),
    get('/apis', { accept: KUBECTL, user: 'alice', view: builtInDiscovery }),
    get('/apis/rbac.authorization.k8s.io', { accept: KUBECTL }),
    get('/apis/rbac.authorization.k8s.io/v1', { accept: KUBECTL }),
  ],
  'methods that discovery does not have': [
    send('POST', '/api', { body: {} }),
    send('DELETE', '/apis', { view: builtInGroups }),
    send('PUT', '/api/v1', { body: {} }),
    send('POST', '/apis/coordination.k8s.io/v1', { body: {} }),
    send('HEAD', '/api'),
    send('OPTIONS', '/apis', { view: builtInGroups }),
  ],
  'media types': [
    get('/api', { accept: 'application/yaml' }),
    get('/apis/coordination.k8s.io', { accept: 'application/yaml' }),
    get('/apis/coordination.k8s.io/v1', { accept: 'application/yaml' }),
    get('/api', { accept: 'text/plain' }),
    get('/apis/coordination.k8s.io/v1', { accept: 'text/html' }),
    get('/api', { accept: '*/*' }),
    get('/api', { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
  ],
});
