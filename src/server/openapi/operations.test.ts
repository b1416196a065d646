import { describe, expect, it } from 'vitest';
import { GROUP, resourceOf, storeOf, thingVersion } from './openapi.fixtures.ts';
import type { OpenApiResource } from './openapi-publisher.ts';
import { groupOperationId, operationId, operationTag } from './operation-names.ts';
import { type Operation, operationsOf, resourceNames, subjectsOf, versionNames } from './operations.ts';

const SERVED = { group: GROUP, version: 'v1' };

function operations(resource: OpenApiResource, served = SERVED): readonly Operation[] {
  return subjectsOf(resource).flatMap((subject) =>
    operationsOf(resourceNames(versionNames(served), resource), subject),
  );
}

function lines(resource: OpenApiResource): string[] {
  return operations(resource).map(({ method, path, id, action }) => `${method} ${path} ${id} ${action}`);
}

describe('names', () => {
  it('consist of verb, group, version and the rest', () => {
    expect(operationId('create', { group: '', version: 'v1' }, 'NamespacedPod')).toBe('createCoreV1NamespacedPod');
    expect(operationId('list', { group: 'rbac.authorization.k8s.io', version: 'v1beta1' }, 'Role')).toBe(
      'listRbacAuthorizationV1beta1Role',
    );
    expect(groupOperationId('get', 'my-group.example.com', 'APIGroup')).toBe('getMyGroupExampleComAPIGroup');
    expect(operationTag('rbac.authorization.k8s.io', 'v1')).toBe('rbacAuthorization_v1');
    expect(operationTag('')).toBe('core');
  });
});

describe('operations', () => {
  it('of a namespaced resource with all verbs', () => {
    const below = '/apis/thing.example/v1';
    expect(lines(resourceOf({}))).toEqual([
      `get ${below}/namespaces/{namespace}/things listThingExampleV1NamespacedThing list`,
      `get ${below}/things listThingExampleV1ThingForAllNamespaces list`,
      `post ${below}/namespaces/{namespace}/things createThingExampleV1NamespacedThing post`,
      `delete ${below}/namespaces/{namespace}/things deleteThingExampleV1CollectionNamespacedThing deletecollection`,
      `get ${below}/namespaces/{namespace}/things/{name} readThingExampleV1NamespacedThing get`,
      `put ${below}/namespaces/{namespace}/things/{name} replaceThingExampleV1NamespacedThing put`,
      `patch ${below}/namespaces/{namespace}/things/{name} patchThingExampleV1NamespacedThing patch`,
      `delete ${below}/namespaces/{namespace}/things/{name} deleteThingExampleV1NamespacedThing delete`,
      `get ${below}/watch/namespaces/{namespace}/things watchThingExampleV1NamespacedThingList watchlist`,
      `get ${below}/watch/namespaces/{namespace}/things/{name} watchThingExampleV1NamespacedThing watch`,
      `get ${below}/watch/things watchThingExampleV1ThingListForAllNamespaces watchlist`,
    ]);
  });

  it('of a cluster-scoped resource that can only be created', () => {
    const resource = resourceOf({ definition: { scope: 'Cluster' }, store: storeOf('create') });
    expect(lines(resource)).toEqual(['post /apis/thing.example/v1/things createThingExampleV1Thing post']);
  });

  it('of subresources: their own kinds, no patch without a get, and connects with and without a path', () => {
    const subresources = [
      { name: 'token', version: thingVersion({ group: 'auth.example', kind: 'Token' }), store: storeOf('create') },
      { name: 'finalize', version: thingVersion(), store: storeOf('update') },
      { name: 'proxy', version: thingVersion(), store: storeOf('connect', 'connectMethods', 'connectOptions') },
    ];
    const resource = resourceOf({ definition: { scope: 'Cluster' }, store: storeOf(), subresources });
    const below = '/apis/thing.example/v1/things/{name}';
    expect(lines(resource)).toEqual([
      `post ${below}/token createThingExampleV1ThingToken post`,
      `put ${below}/finalize replaceThingExampleV1ThingFinalize put`,
      `get ${below}/proxy connectThingExampleV1GetThingProxy connect`,
      `get ${below}/proxy/{path} connectThingExampleV1GetThingProxyWithPath connect`,
      `post ${below}/proxy connectThingExampleV1PostThingProxy connect`,
      `post ${below}/proxy/{path} connectThingExampleV1PostThingProxyWithPath connect`,
    ]);
    const [token] = operations(resource);
    expect(token?.kind).toEqual({ group: 'auth.example', version: 'v1', kind: 'Token' });
  });

  it('have the parameters of their options, sorted by name', () => {
    const find = (action: string) => operations(resourceOf({})).find((one) => one.action === action);
    const names = (action: string) => find(action)?.parameters.map(({ name }) => name);
    expect(names('get')).toEqual(['name', 'namespace', 'pretty']);
    expect(names('patch')).toEqual([
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
      'name',
      'namespace',
      'pretty',
    ]);
    expect(names('list')).toContain('sendInitialEvents');
    expect(names('deletecollection')).toEqual(expect.arrayContaining(['propagationPolicy', 'labelSelector']));
    expect(names('deletecollection')).not.toContain('watch');
  });

  it('have protobuf and strategic merge patches for built-in kinds only', () => {
    const patch = (strategicMerge: boolean) =>
      operations(resourceOf({ version: thingVersion({ strategicMerge, unstructured: !strategicMerge }) })).find(
        ({ action }) => action === 'patch',
      );
    expect(patch(true)?.body?.consumes).toContain('application/strategic-merge-patch+json');
    expect(patch(false)?.body?.consumes).toEqual([
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/apply-patch+yaml',
    ]);
    expect(patch(true)?.produces).toContain('application/vnd.kubernetes.protobuf');
    expect(patch(false)?.produces).toEqual(['application/json', 'application/yaml']);
  });

  it('answer a delete with the object where the kind does so', () => {
    const { definition } = resourceOf({});
    const strategy = { ...definition.strategy, returnsDeletedObject: true };
    const contents = (resource: OpenApiResource) =>
      operations(resource)
        .find(({ action }) => action === 'delete')
        ?.answers.map(({ content }) => content);
    expect(contents(resourceOf({}))).toEqual(['Status', 'Status']);
    expect(contents(resourceOf({ definition: { strategy } }))).toEqual(['object', 'object']);
  });
});
