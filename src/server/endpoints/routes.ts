/**
 * The routes of a resource: which endpoint serves a request, as the reference's router decides. A path without any verb
 * is a 404, a method that the path does not have is a 405. Both are decided before the request is decoded.
 */

import { type Status, StatusError } from '../../apimachinery/status/status.ts';
import { genericServerResponse } from '../../apimachinery/status/status-catalogue.ts';
import type { RequestInfo } from '../http/request-info.ts';
import type { ServerRequest } from '../http/server-request.ts';
import type { ResourceStore } from '../resource/resource-store.ts';
import { connectObject } from './connect.ts';
import { createObject } from './create.ts';
import { deleteObject } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import type { Endpoint, RequestScope } from './endpoint.ts';
import { getObject } from './get.ts';
import { listObjects } from './list.ts';
import { patchObject } from './patch.ts';
import { updateObject } from './update.ts';
import { watchObjects } from './watch.ts';

/** Endpoints by HTTP method. */
export type MethodTable = ReadonlyMap<string, Endpoint>;

/** The routes of one resource in one version. */
export interface RoutedResource {
  readonly scope: RequestScope;
  /** Methods of the path without a namespace, for a namespaced resource. */
  readonly allNamespaces: MethodTable;
  readonly collection: MethodTable;
  readonly object: MethodTable;
  readonly subresources: ReadonlyMap<string, RoutedSubresource>;
}

export interface RoutedSubresource {
  readonly scope: RequestScope;
  readonly methods: MethodTable;
}

export interface Route {
  readonly scope: RequestScope;
  readonly endpoint: Endpoint;
}

const NOT_FOUND: Status = genericServerResponse({ code: 404, verb: '' });
const NOT_ALLOWED: Status = genericServerResponse({ code: 405, verb: '' });

/** Serves a list or a watch, depending on the query. */
const listOrWatch: Endpoint = (host, scope, request) =>
  request.info.verb === 'watch' ? watchObjects(host, scope, request) : listObjects(host, scope, request);

export function collectionMethods(store: ResourceStore): MethodTable {
  const methods = new Map<string, Endpoint>();
  if (store.list !== undefined) methods.set('GET', listOrWatch);
  if (store.create !== undefined) methods.set('POST', createObject);
  if (store.deleteCollection !== undefined) methods.set('DELETE', deleteCollection);
  return methods;
}

/** Across all namespaces, objects can only be listed and watched. */
export function allNamespacesMethods(store: ResourceStore): MethodTable {
  return store.list === undefined ? new Map() : new Map([['GET', listOrWatch]]);
}

export function objectMethods(store: ResourceStore): MethodTable {
  const methods = new Map<string, Endpoint>();
  if (store.get !== undefined) methods.set('GET', getObject);
  if (store.update !== undefined) {
    methods.set('PUT', updateObject);
    if (store.get !== undefined) methods.set('PATCH', patchObject);
  }
  if (store.delete !== undefined) methods.set('DELETE', deleteObject);
  return methods;
}

export function subresourceMethods(store: ResourceStore): MethodTable {
  const methods = new Map(objectMethods(store));
  if (store.create !== undefined) methods.set('POST', createObject);
  for (const method of store.connect === undefined ? [] : (store.connectMethods ?? []))
    methods.set(method, connectObject);
  return methods;
}

/** Returns the route of a request. Throws the 404 or the 405. */
export function route(resource: RoutedResource, request: ServerRequest): Route {
  const { info } = request;
  const { parts, verb } = info;
  const { scope } = resource;
  const isNamespacedPath = namespacedPath(info);
  if (isNamespacedPath && !scope.namespaced) throw new StatusError(NOT_FOUND);
  const isAllNamespaces = scope.namespaced && !isNamespacedPath;
  if (verb === 'watch' || verb === 'proxy') return watchRoute(resource, request, isAllNamespaces);
  const { method } = request.incoming;
  if (parts.length === 1) return pick(scope, isAllNamespaces ? resource.allNamespaces : resource.collection, method);
  if (isAllNamespaces) throw new StatusError(NOT_FOUND);
  if (parts.length === 2) return pick(scope, resource.object, method);
  const subresource = resource.subresources.get(parts[2] as string);
  if (subresource === undefined) throw new StatusError(NOT_FOUND);
  if (parts.length > 3 && subresource.scope.store.connectOptions?.takesPath !== true) throw new StatusError(NOT_FOUND);
  return pick(subresource.scope, subresource.methods, method);
}

/** Returns the route of a request with `?watch=true`, or of a path below `/watch/`, which may name one object. */
function watchRoute({ scope }: RoutedResource, request: ServerRequest, isAllNamespaces: boolean): Route {
  const { parts, verb } = request.info;
  const isServed = verb === 'watch' && scope.store.watch !== undefined && parts.length <= 2;
  if (!isServed || (isAllNamespaces && parts.length === 2)) {
    // The query does not select a path: a collection that can be listed exists, so its endpoint answers that it cannot
    // be watched.
    const endpoint = parts.length === 1 && verb === 'watch' ? watchObjects : undefined;
    if (endpoint === undefined || scope.store.list === undefined) throw new StatusError(NOT_FOUND);
    return { scope, endpoint };
  }
  if (request.incoming.method !== 'GET') throw new StatusError(NOT_ALLOWED);
  return { scope, endpoint: watchObjects };
}

function pick(scope: RequestScope, methods: MethodTable, method: string): Route {
  const endpoint = methods.get(method);
  if (endpoint !== undefined) return { scope, endpoint };
  throw new StatusError(methods.size === 0 ? NOT_FOUND : NOT_ALLOWED);
}

const SLASH = 0x2f;

/** Reports whether the resource is below `namespaces/<name>/`. A request to a Namespace object is not. */
function namespacedPath(info: RequestInfo): boolean {
  if (info.resource !== 'namespaces') return info.namespace !== '' || info.path.includes('/namespaces//');
  let end = info.path.length;
  while (info.path.charCodeAt(end - 1) === SLASH) end--;
  const segments = info.path.slice(0, end).split('/');
  return segments[segments.length - info.parts.length - 2] === 'namespaces';
}
