/**
 * The resource server: installs resources, publishes them in discovery and OpenAPI, and routes requests to the
 * endpoints.
 *
 * Invariants: requests to group-versions that are not installed reach the delegate unchanged. Discovery and OpenAPI
 * contain exactly the installed resources.
 */

import { CBOR_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, type SupportedMediaType } from '../apimachinery/codec/negotiation.ts';
import type { FieldManager } from '../apimachinery/managed-fields/field-manager.ts';
import type { GroupVersion, GroupVersionKind, GroupVersionResource } from '../apimachinery/meta/gvk.ts';
import { StatusError } from '../apimachinery/status/status.ts';
import { genericServerResponse } from '../apimachinery/status/status-catalogue.ts';
import type { StructView } from '../apimachinery/type-view.ts';
import type { Clock } from '../base/clock.ts';
import { BugError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { Slab } from '../base/slab.ts';
import { compareUtf8 } from '../base/utf8.ts';
import type { Admission } from './admission.ts';
import type { Authorizer } from './authorizer.ts';
import type { DiscoveryPublisher } from './discovery/discovery-publisher.ts';
import { AnswerForms } from './endpoints/encode/answer-form.ts';
import { ProtobufWriter } from './endpoints/encode/protobuf-writer.ts';
import type { Compressor, EndpointHost, NamespaceReader, RequestScope } from './endpoints/endpoint.ts';
import {
  allNamespacesMethods,
  collectionMethods,
  objectMethods,
  type RoutedResource,
  type RoutedSubresource,
  route,
  subresourceMethods,
} from './endpoints/routes.ts';
import { WatchEncodings } from './endpoints/watch/watch-encoding.ts';
import { WatchSet } from './endpoints/watch/watch-set.ts';
import type { Answer } from './http/exchange.ts';
import { STANDARD_MEDIA_TYPES } from './http/respond.ts';
import type { RequestHandler, ServerRequest } from './http/server-request.ts';
import { discoveryResource, givenOf, givenSchema, kindOf, openApiResource } from './installed-resources.ts';
import type { OpenApiPublisher, OpenApiVersion } from './openapi/openapi-publisher.ts';
import { convertObject, convertWhole } from './resource/convert-objects.ts';
import { createFieldManager } from './resource/create-field-manager.ts';
import type { MetaTypes } from './resource/meta-types.ts';
import type { OpenResource } from './resource/open-resource.ts';
import type { SubresourceDefinition } from './resource/resource-definition.ts';
import type { ResourceStore } from './resource/resource-store.ts';
import type { VersionDefinition } from './resource/version-definition.ts';

export interface ResourceServerOptions {
  readonly clock: Clock;
  readonly admission: Admission;
  /** Reads namespaces for admission. Default: the server has no namespaces. */
  readonly namespaces?: NamespaceReader;
  /** Called when an update creates an object. Default: such an update needs no permission to create. */
  readonly authorizer?: Authorizer;
  /** Answers requests to group-versions that are not installed. */
  readonly delegate: RequestHandler;
  readonly discovery: DiscoveryPublisher;
  readonly openapi: OpenApiPublisher;
  /** Returns a number from 0 up to, not including, 1. */
  random(): number;
  /**
   * Types of the objects that the server itself sends in protobuf. Default: it reads protobuf but does not write it.
   */
  readonly types?: MetaTypes;
  /** Reads and writes CBOR beside JSON and YAML. Default false. */
  readonly cbor?: boolean;
  readonly limits?: {
    /** The largest request body. Default 3 MiB, as in the reference. */
    readonly bodyBytes?: number;
  };
  /**
   * A watch without `timeoutSeconds` ends after a random time between this and twice this. Default 1,800, as in the
   * reference.
   */
  readonly minRequestTimeoutSeconds?: number;
  /** Compresses large answers for clients that accept gzip. Default: nothing is compressed. */
  readonly gzip?: Compressor;
  /** Called when events of a resource are written to a watcher's stream, with their number and size. */
  readonly onWatchEvents?: (resource: GroupVersionResource, count: number, bytes: number) => void;
  /** Called when an object is written without managedFields because its managers cannot be computed. */
  readonly onUntracked?: (resource: GroupVersionResource, reason: string) => void;
}

export interface InstallOptions {
  /** Returns the priorities in discovery; see DiscoveryVersion. */
  groupPriority(group: string): number;
  versionPriority(version: GroupVersion): number;
  /** See OpenApiVersion. Default: only versions that have `openapi` have named types. */
  typeName?(view: StructView): string | undefined;
  /**
   * Returns a text that changes whenever a type does. The hashes in the index of `/openapi/v3` are then made from this
   * text and the verbs of the resources, without making the documents. Default: from the documents.
   */
  readonly typesFingerprint?: () => string;
  /** See DiscoveryVersion.ownsGroup. Default false. */
  readonly ownsGroups?: boolean;
}

/** One installed group-version. */
interface Installed extends GroupVersion {
  readonly resources: Map<string, { readonly open: OpenResource; readonly routed: RoutedResource }>;
  options: InstallOptions;
}

const BODY_BYTES = 3 * 1024 * 1024;
const MIN_REQUEST_TIMEOUT_SECONDS = 1800;

export class ResourceServer {
  readonly #options: ResourceServerOptions;
  readonly #host: EndpointHost;
  /**
   * `binary`: kinds with a protobuf form. `plain`: kinds without one. `answers`: kinds that are only returned by a
   * create. `unrouted`: custom resources, whose Accept header no router checks. `unroutedBinary`: those of them with a
   * protobuf form.
   */
  readonly #forms: Readonly<Record<'binary' | 'plain' | 'answers' | 'unrouted' | 'unroutedBinary', AnswerForms>>;
  /** By group, then by version. */
  readonly #groups = new Map<string, Map<string, Installed>>();

  constructor(options: ResourceServerOptions) {
    const cbor = options.cbor === true ? [CBOR_MEDIA_TYPE] : [];
    const inputTypes: readonly SupportedMediaType[] = [...STANDARD_MEDIA_TYPES, PROTOBUF_MEDIA_TYPE, ...cbor];
    const { types } = options;
    const mediaTypes = types === undefined ? [...STANDARD_MEDIA_TYPES, ...cbor] : inputTypes;
    this.#options = options;
    this.#forms = {
      binary: new AnswerForms(mediaTypes, { binary: true, tables: true }),
      plain: new AnswerForms(mediaTypes, { binary: false, tables: true }),
      answers: new AnswerForms(mediaTypes, { binary: true, tables: false }),
      unrouted: new AnswerForms(mediaTypes, { binary: false, tables: true, routed: false }),
      unroutedBinary: new AnswerForms(mediaTypes, { binary: true, tables: true, routed: false }),
    };
    this.#host = {
      clock: options.clock,
      admission: options.admission,
      namespaces: options.namespaces,
      authorizer: options.authorizer,
      inputTypes,
      textTypes: [...STANDARD_MEDIA_TYPES, ...cbor],
      protobuf: types === undefined ? undefined : new ProtobufWriter(types),
      bodyBytes: options.limits?.bodyBytes ?? BODY_BYTES,
      minRequestTimeoutSeconds: options.minRequestTimeoutSeconds ?? MIN_REQUEST_TIMEOUT_SECONDS,
      random: () => options.random(),
      watches: new WatchSet(options.clock),
      slab: new Slab(),
      gzip: options.gzip,
      onWatchEvents: options.onWatchEvents,
      onUntracked: options.onUntracked,
      knowsKind: (kind) => this.#knowsKind(kind),
    };
  }

  /** The number of open watches. */
  get watches(): number {
    return this.#host.watches.size;
  }

  /**
   * Serves and publishes resources, in addition to the installed ones of the same group-versions. Throws BugError for a
   * plural that is installed already.
   */
  install(resources: readonly OpenResource[], options: InstallOptions): void {
    const changed = new Set<Installed>();
    for (const open of resources) {
      for (const version of open.definition.versions) {
        const installed = this.#groupVersion(version, options);
        const { plural } = open.definition;
        if (installed.resources.has(plural))
          throw new BugError(`resource ${plural} of ${version.group}/${version.version} is installed already`);
        installed.resources.set(plural, { open, routed: this.#routed(open, version) });
        changed.add(installed);
      }
    }
    for (const installed of changed) this.#publish(installed);
  }

  /** Stops serving and publishing resources. Their stores stay open: they belong to the caller. */
  uninstall(resources: readonly OpenResource[]): void {
    const changed = new Set<Installed>();
    for (const open of resources) {
      for (const { group, version } of open.definition.versions) {
        const installed = this.#groups.get(group)?.get(version);
        if (installed?.resources.get(open.definition.plural)?.open !== open) continue;
        installed.resources.delete(open.definition.plural);
        changed.add(installed);
      }
    }
    for (const installed of changed) {
      if (installed.resources.size > 0) this.#publish(installed);
      else this.#remove(installed);
    }
  }

  /**
   * Serves a request to an installed resource, or passes it to the delegate. Throws, or rejects with, a StatusError.
   */
  readonly handle = (request: ServerRequest): MaybePromise<Answer> => {
    const { info } = request;
    const versions = info.isResourceRequest ? this.#groups.get(info.apiGroup) : undefined;
    const installed = versions?.get(info.apiVersion);
    if (installed === undefined) {
      if (versions !== undefined && ownsGroup(versions)) throw new StatusError(NOT_FOUND);
      return this.#options.delegate(request);
    }
    const found = installed.resources.get(info.resource);
    if (found === undefined) throw new StatusError(NOT_FOUND);
    return this.serve(found.routed, request);
  };

  /**
   * Returns the routes of one version of a resource, for a server that looks up resources itself. Installs and
   * publishes nothing.
   */
  routes(open: OpenResource, version: VersionDefinition): RoutedResource {
    return this.#routed(open, version);
  }

  /** Serves a request with the routes of its resource. Throws, or rejects with, a StatusError. */
  serve(routed: RoutedResource, request: ServerRequest): MaybePromise<Answer> {
    const { scope, endpoint } = route(routed, request);
    const { deprecationWarning } = scope.version;
    if (deprecationWarning !== '') request.warn(deprecationWarning);
    return endpoint(this.#host, scope, request);
  }

  /** Ends every open watch cleanly, and every later one as soon as it starts. Called at shutdown. */
  drain(): void {
    this.#host.watches.drain();
  }

  #groupVersion({ group, version }: GroupVersion, options: InstallOptions): Installed {
    let versions = this.#groups.get(group);
    if (versions === undefined) {
      versions = new Map();
      this.#groups.set(group, versions);
    }
    let installed = versions.get(version);
    if (installed === undefined) {
      installed = { group, version, resources: new Map(), options };
      versions.set(version, installed);
    }
    installed.options = options;
    return installed;
  }

  #routed(open: OpenResource, version: VersionDefinition): RoutedResource {
    const { store } = open;
    const subresources = new Map<string, RoutedSubresource>();
    for (const [name, { definition, store: own }] of open.subresources) {
      const scope = this.#scope(open, version, definition, own);
      subresources.set(name, { scope, methods: subresourceMethods(own) });
    }
    return {
      scope: this.#scope(open, version, undefined, store),
      allNamespaces: allNamespacesMethods(store),
      collection: collectionMethods(store),
      object: objectMethods(store),
      subresources,
    };
  }

  #scope(
    { definition }: OpenResource,
    version: VersionDefinition,
    subresource: SubresourceDefinition | undefined,
    store: ResourceStore,
  ): RequestScope {
    const { plural } = definition;
    const bodyVersion = subresource?.version ?? version;
    let fieldManager: FieldManager | undefined;
    const resource = { group: version.group, version: version.version, resource: plural };
    return {
      version,
      bodyVersion,
      versions: definition.versions,
      kind: kindOf(bodyVersion),
      resource,
      groupResource: { group: version.group, resource: plural },
      subresource: subresource?.name ?? '',
      convert: (object, from, to) =>
        (to.unstructured === true ? convertWhole : convertObject)(definition, object, from, to),
      namespaced: definition.scope === 'Namespaced',
      isNamespaces: definition.isNamespaces === true,
      store,
      get fieldManager() {
        fieldManager ??= createFieldManager(definition, version, subresource);
        return fieldManager;
      },
      forms: this.#formsOf(version, bodyVersion, store),
      encodings: new WatchEncodings(bodyVersion, this.#options.clock, this.#host.protobuf),
    };
  }

  /**
   * Returns the forms of answers for a store. A kind that is only returned, never listed or read, has no table columns.
   */
  #formsOf(version: VersionDefinition, bodyVersion: VersionDefinition, store: ResourceStore): AnswerForms {
    if (version.unstructured === true)
      return bodyVersion.protobuf === true ? this.#forms.unroutedBinary : this.#forms.unrouted;
    if (bodyVersion.protobuf !== true) return this.#forms.plain;
    return store.get === undefined && store.list === undefined ? this.#forms.answers : this.#forms.binary;
  }

  #knowsKind({ group, version, kind }: GroupVersionKind): boolean {
    const installed = this.#groups.get(group)?.get(version);
    if (installed === undefined) return false;
    for (const { routed } of installed.resources.values()) {
      const { bodyVersion, store } = routed.scope;
      if (bodyVersion.kind === kind || (store.list !== undefined && bodyVersion.listKind === kind)) return true;
    }
    return false;
  }

  #publish(installed: Installed): void {
    const { group, version, resources, options } = installed;
    const discovered = [...resources.values()].map(({ open, routed }) => discoveryResource(open, routed));
    this.#options.discovery.publish({
      group,
      version,
      resources: discovered.sort((a, b) => compareUtf8(a.plural, b.plural)),
      groupPriority: options.groupPriority(group),
      versionPriority: options.versionPriority({ group, version }),
      stale: false,
      ownsGroup: options.ownsGroups ?? false,
    });
    const published: OpenApiVersion = {
      group,
      version,
      resources: () => [...resources.values()].map(({ open, routed }) => openApiResource(open, routed)),
      typeName: (view) =>
        givenOf(resources, (version) => version.type() === view)?.typeName ?? options.typeName?.(view),
      schema: (typeName) => givenSchema(resources, typeName),
      ownsGroup: options.ownsGroups ?? false,
    };
    const { typesFingerprint } = options;
    this.#options.openapi.publish(
      typesFingerprint === undefined
        ? published
        : {
            ...published,
            // A getter, because the text is made only if the index is requested.
            get fingerprint() {
              return `${typesFingerprint()} ${JSON.stringify(discovered)}`;
            },
          },
    );
  }

  #remove({ group, version }: Installed): void {
    const versions = this.#groups.get(group);
    versions?.delete(version);
    if (versions?.size === 0) this.#groups.delete(group);
    this.#options.discovery.remove({ group, version });
    this.#options.openapi.remove({ group, version });
  }
}

const NOT_FOUND = genericServerResponse({ code: 404, verb: '' });

/** Reports whether this server has the whole group, so that no delegate has other versions of it. */
function ownsGroup(versions: ReadonlyMap<string, Installed>): boolean {
  for (const { options } of versions.values()) if (options.ownsGroups === true) return true;
  return false;
}
