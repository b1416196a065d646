// The discovery documents of one group with one resource, in the form of every release of Kubernetes (APIGroupList,
// APIGroup, APIResourceList) and in the aggregated form of 1.27 and later (APIGroupDiscoveryList).

export const GROUP = 'simple.extension.io';
export const VERSION = 'v1';
export const GROUP_VERSION: string = `${GROUP}/${VERSION}`;

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const version = { groupVersion: GROUP_VERSION, version: VERSION };
const group = { name: GROUP, versions: [version], preferredVersion: version };

const DOCUMENTS: Readonly<Record<string, object>> = {
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [group] },
  [`/apis/${GROUP}`]: { kind: 'APIGroup', apiVersion: 'v1', ...group },
  [`/apis/${GROUP_VERSION}`]: {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: GROUP_VERSION,
    resources: [
      {
        name: 'crontabs',
        singularName: 'crontab',
        namespaced: true,
        kind: 'CronTab',
        verbs: VERBS,
        shortNames: ['ct'],
      },
    ],
  },
};

const AGGREGATED = {
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items: [
    {
      metadata: { name: GROUP },
      versions: [
        {
          version: VERSION,
          freshness: 'Current',
          resources: [
            {
              resource: 'crontabs',
              responseKind: { group: GROUP, version: VERSION, kind: 'CronTab' },
              scope: 'Namespaced',
              singularResource: 'crontab',
              verbs: VERBS,
              shortNames: ['ct'],
            },
          ],
        },
      ],
    },
  ],
};

const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export interface Document {
  readonly contentType: string;
  readonly body: object;
}

/** Returns the document of a path, or undefined if the path is none of discovery. */
export function discoveryDocument(path: string, accept: string): Document | undefined {
  const aggregated = accept
    .split(',')
    .some((part) => part.includes('as=APIGroupDiscoveryList') && part.includes('v=v2;'));
  if (path === '/apis' && aggregated) return { contentType: AGGREGATED_TYPE, body: AGGREGATED };
  const body = DOCUMENTS[path];
  return body === undefined ? undefined : { contentType: 'application/json', body };
}
