/** The attributes of one attempt of a write. The endpoint makes one record; both halves of admission share it. */
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { cloneJson, type JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { AdmissionAttributes, Operation } from '../admission.ts';
import type { ServerRequest } from '../http/server-request.ts';
import type { VersionDefinition } from '../resource/version-definition.ts';
import type { EndpointHost, RequestScope } from './endpoint.ts';

/** The parts of the attributes that all objects of one request share. */
export interface AdmissionSubject {
  readonly operation: Operation;
  readonly name: string;
  readonly dryRun: boolean;
  readonly options: JsonObject;
  /** The options of a connection, which admission sees as its object. Default none. */
  readonly connectOptions?: JsonObject | undefined;
}

export class AdmissionRecord implements AdmissionAttributes {
  readonly operation: Operation;
  readonly kind: AdmissionAttributes['kind'];
  readonly resource: AdmissionAttributes['resource'];
  readonly subresource: string;
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly options: JsonObject;
  name: string;
  oldObject: JsonObject | undefined;
  object: JsonObject | undefined;
  reinvocation: AdmissionAttributes['reinvocation'] = 'none';
  readonly #host: EndpointHost;
  readonly #scope: RequestScope;
  readonly #request: ServerRequest;
  #namespaceObject: MaybePromise<JsonObject | undefined> | 'unread' = 'unread';
  #states: Map<object, unknown> | undefined;

  constructor(
    { host, scope, request }: AdmissionTarget,
    subject: AdmissionSubject,
    object: JsonObject | undefined,
    oldObject: JsonObject | undefined,
  ) {
    this.#host = host;
    this.#scope = scope;
    this.#request = request;
    this.operation = subject.operation;
    this.kind = scope.kind;
    this.resource = scope.resource;
    this.subresource = scope.subresource;
    this.name = subject.name;
    this.namespace = namespaceOf(scope, request, subject.name);
    this.dryRun = subject.dryRun;
    this.options = subject.options;
    this.object = object;
    this.oldObject = oldObject;
  }

  get user(): UserInfo {
    return this.#request.user;
  }

  get deadline(): number {
    return this.#request.deadline;
  }

  get versions(): readonly VersionDefinition[] {
    return this.#scope.versions;
  }

  get version(): VersionDefinition {
    return this.#scope.bodyVersion;
  }

  convert(object: JsonObject, from: VersionDefinition, to: VersionDefinition): MaybePromise<JsonObject> {
    return this.#scope.convert(cloneJson(object), from, to);
  }

  namespaceObject(): MaybePromise<JsonObject | undefined> {
    if (this.#namespaceObject === 'unread') {
      const { namespaces } = this.#host;
      this.#namespaceObject =
        this.namespace === '' || namespaces === undefined ? undefined : namespaces(this.namespace);
    }
    return this.#namespaceObject;
  }

  state<T>(key: object, create: () => T): T {
    this.#states ??= new Map();
    if (!this.#states.has(key)) this.#states.set(key, create());
    return this.#states.get(key) as T;
  }

  warn(text: string): void {
    this.#request.warn(text);
  }

  annotate(key: string, value: string): void {
    this.#request.annotate(key, value);
  }

  annotateRequest(key: string, value: () => string): void {
    const { audit } = this.#request;
    if (audit?.wantsRequestObject === true) audit.annotate(key, value());
  }
}

/** The request that admission is about. */
export interface AdmissionTarget {
  readonly host: EndpointHost;
  readonly scope: RequestScope;
  readonly request: ServerRequest;
}

/** Returns the namespace of the request. A request to a Namespace object counts as a request in that namespace. */
function namespaceOf({ isNamespaces, namespaced }: RequestScope, { info }: ServerRequest, name: string): string {
  if (isNamespaces) return info.namespace || name;
  return namespaced ? info.namespace : '';
}
