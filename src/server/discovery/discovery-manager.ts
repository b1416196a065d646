/**
 * The discovery manager: answers `/api`, `/apis` and the paths directly below them, in the legacy and in the aggregated
 * form. All servers of a chain publish into one manager. The aggregator publishes the versions of other servers into
 * `remote`.
 *
 * Invariant: a remote version hides the local version of the same name until the remote one is removed. Invariant: a
 * document is made on its first request and kept until a version that it mentions is published again or removed.
 *
 * Methods and media types are refused where the reference refuses them: `/apis` and `/apis/<group>` accept every
 * method, the other paths only GET.
 */
import {
  allowsDiscoveryTransform,
  type NegotiatedMedia,
  negotiateAccept,
  type SupportedMediaType,
  type TransformTarget,
} from '../../apimachinery/codec/negotiation.ts';
import { formatGroupVersion, type GroupVersion } from '../../apimachinery/meta/gvk.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { genericServerResponse, notAcceptable } from '../../apimachinery/status/status-catalogue.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import { EMPTY_BYTES } from '../../base/bytes.ts';
import { BugError } from '../../base/errors.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import type { Answer } from '../http/exchange.ts';
import { contentHeaders } from '../http/respond.ts';
import type { ServerRequest } from '../http/server-request.ts';
import { META_TYPES, type MetaTypes } from '../resource/meta-types.ts';
import { AggregatedDocument } from './aggregated-document.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions, type ServerAddress } from './discovery-documents.ts';
import type { DiscoveryPublisher, DiscoveryVersion, RemoteDiscoveryPublisher } from './discovery-publisher.ts';
import { DocumentForms, supportedForms } from './document-forms.ts';
import { PublishedGroup, PublishedVersion } from './published-group.ts';
import { acceptsOneOf } from './restful-accept.ts';

export interface DiscoveryOptions {
  /** Returns the addresses that `/api` tells clients. Default: none. */
  readonly addresses?: (request: ServerRequest) => readonly ServerAddress[];
  /** The types of documents in protobuf. Default: protobuf is not supported. */
  readonly types?: MetaTypes;
  /** Default false, as the reference's feature gate. */
  readonly cbor?: boolean;
}

export type DiscoveryListener = (version: GroupVersion) => void;

export class DiscoveryManager implements DiscoveryPublisher {
  readonly #options: DiscoveryOptions;
  readonly #supported: readonly SupportedMediaType[];
  readonly #mediaTypes: readonly string[];
  /** The groups as the documents show them: local versions, and remote ones in place of local ones of the same name. */
  readonly #groups = new Map<string, PublishedGroup>();
  /** The published versions of both origins, by `group/version`. */
  readonly #local = new Map<string, DiscoveryVersion>();
  readonly #remote = new Map<string, DiscoveryVersion>();
  /** Publishes the versions of other servers. `/apis/<group>/<version>` of these is left to the delegate. */
  readonly remote: RemoteDiscoveryPublisher = {
    publish: (version) => this.#update(this.#remote, version, version),
    remove: (version) => this.#update(this.#remote, version, undefined),
  };
  readonly #listeners = new Set<DiscoveryListener>();
  #sortedGroups: readonly PublishedGroup[] | undefined;
  #groupList: DocumentForms | undefined;
  /** The aggregated forms of `/api` and `/apis`. */
  #core: AggregatedDocument | undefined;
  #named: AggregatedDocument | undefined;

  constructor(options: DiscoveryOptions = {}) {
    this.#options = options;
    this.#supported = supportedForms({ cbor: options.cbor ?? false, protobuf: options.types !== undefined });
    this.#mediaTypes = this.#supported.map(({ mediaType }) => mediaType);
  }

  publish(version: DiscoveryVersion): void {
    this.#update(this.#local, version, version);
  }

  /** Removes a local version. Does nothing if the version is not published. */
  remove(version: GroupVersion): void {
    this.#update(this.#local, version, undefined);
  }

  /**
   * Adds a listener that is called synchronously after each publication and removal, local or remote. Returns a
   * function that removes it.
   */
  onChange(listener: DiscoveryListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the group-version that the documents show, local or remote; undefined if none is published. */
  get({ group, version }: GroupVersion): DiscoveryVersion | undefined {
    return this.#groups.get(group)?.get(version)?.version;
  }

  /** Returns the local group-version, even while a remote one is shown in its place. */
  getLocal(version: GroupVersion): DiscoveryVersion | undefined {
    return this.#local.get(formatGroupVersion(version));
  }

  /** Returns the group-versions of the servers of this process, in no particular order. */
  localVersions(): readonly DiscoveryVersion[] {
    return [...this.#local.values()];
  }

  /** Returns all group-versions in the order in which they are shown, the core group first. */
  versions(): readonly DiscoveryVersion[] {
    const core = this.#groups.get('');
    return [...(core === undefined ? [] : [core]), ...this.#namedGroups()].flatMap((group) =>
      group.sorted().map(({ version }) => version),
    );
  }

  /** Reports whether an unknown version or resource of the group is a 404 with a Status instead of plain text. */
  ownsGroup(group: string): boolean {
    return this.#groups.get(group)?.ownsGroup ?? false;
  }

  /** Returns the paths that `/` lists. */
  paths(): readonly string[] {
    const paths = this.#groups.has('') ? ['/api'] : [];
    paths.push('/apis', '/apis/');
    for (const { group, version } of this.versions())
      paths.push(...(group === '' ? [`/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`]));
    return [...new Set(paths)];
  }

  /**
   * Answers a discovery request. Returns undefined for other paths, for groups that are not published, and for the
   * resources of a remote version, which its own server lists. Throws a StatusError for 404 within a known group, 405
   * and 406.
   */
  handle(request: ServerRequest): Answer | undefined {
    const { path, isResourceRequest } = request.info;
    if (isResourceRequest || !path.startsWith('/api')) return undefined;
    if (path === '/apis' || path === '/apis/') return this.#root(request, path === '/apis');
    const segments = trimmedSegments(path);
    const [prefix, first = '', second] = segments;
    if (prefix === 'api' && segments.length <= 2) return this.#legacy(request, first);
    if (prefix !== 'apis' || first === '' || segments.length > 3) return undefined;
    const group = this.#groups.get(first);
    if (group === undefined) return undefined;
    return second === undefined ? this.#group(request, group) : this.#version(request, group, second);
  }

  #root(request: ServerRequest, allowsAggregated: boolean): Answer {
    const aggregated = allowsAggregated ? this.#aggregatedMedia(request) : undefined;
    if (aggregated !== undefined) {
      this.#named ??= new AggregatedDocument(this.#namedGroups(), this.#options.types);
      return aggregatedAnswer(this.#named, aggregated, request);
    }
    this.#groupList ??= new DocumentForms(
      () => apiGroupList(this.#namedGroups().map((group) => group.sorted().map(({ version }) => version))),
      () => this.#view('APIGroupList'),
    );
    return this.#plain(this.#groupList, request);
  }

  /** `/api` and `/api/<version>`. */
  #legacy(request: ServerRequest, version: string): Answer | undefined {
    const core = this.#groups.get('');
    if (core === undefined) return undefined;
    if (version !== '') return this.#version(request, core, version);
    this.#checkRestful(request);
    const aggregated = this.#aggregatedMedia(request);
    if (aggregated !== undefined) {
      this.#core ??= new AggregatedDocument([core], this.#options.types);
      return aggregatedAnswer(this.#core, aggregated, request);
    }
    // This document is not kept, because the addresses depend on the request.
    const versions = core.sorted().map((published) => published.version);
    const document = new DocumentForms(
      () => apiVersions(versions, this.#options.addresses?.(request) ?? []),
      () => this.#view('APIVersions'),
    );
    return this.#plain(document, request);
  }

  #group(request: ServerRequest, group: PublishedGroup): Answer {
    group.document ??= new DocumentForms(
      () => apiGroup(group.sorted().map(({ version }) => version)),
      () => this.#view('APIGroup'),
    );
    return this.#plain(group.document, request);
  }

  #version(request: ServerRequest, group: PublishedGroup, version: string): Answer | undefined {
    const published = group.get(version);
    if (published === undefined) {
      if (!group.ownsGroup) return undefined;
      throw new StatusError(genericServerResponse({ code: 404, verb: '' }));
    }
    if (this.#remote.has(formatGroupVersion(published.version))) return undefined;
    this.#checkRestful(request);
    return this.#plain(published.resourceList, request);
  }

  #plain(document: DocumentForms, request: ServerRequest): Answer {
    const result = negotiateAccept(request.incoming.header('accept'), { supported: this.#supported });
    if (!result.ok) throw new StatusError(notAcceptable(this.#mediaTypes));
    const headers = contentHeaders(result.media.accepted.mediaType);
    return { kind: 'bytes', status: 200, headers, body: document.bytes(result.media, request) };
  }

  /**
   * The aggregated form wins at any position of Accept. Plain forms are considered only if no clause asks for the
   * aggregated one.
   */
  #aggregatedMedia({ incoming }: ServerRequest): NegotiatedMedia | undefined {
    const accept = incoming.header('accept');
    if (accept === undefined || !accept.includes('as=')) return undefined;
    const result = negotiateAccept(accept, { supported: this.#supported, allowsTransform: isAggregated });
    return result.ok ? result.media : undefined;
  }

  #checkRestful({ incoming }: ServerRequest): void {
    if (incoming.method !== 'GET') throw new StatusError(genericServerResponse({ code: 405, verb: '' }));
    if (acceptsOneOf(incoming.header('accept'), this.#mediaTypes)) return;
    const serverMessage = `406: Not Acceptable\n\nAvailable representations: ${this.#mediaTypes.join(', ')}`;
    throw new StatusError(genericServerResponse({ code: 406, verb: '', serverMessage }));
  }

  #namedGroups(): readonly PublishedGroup[] {
    this.#sortedGroups ??= [...this.#groups.values()]
      .filter(({ name }) => name !== '')
      .sort((a, b) => b.priority - a.priority || compareUtf8(a.name, b.name));
    return this.#sortedGroups;
  }

  #update(layer: Map<string, DiscoveryVersion>, of: GroupVersion, next: DiscoveryVersion | undefined): void {
    const key = formatGroupVersion(of);
    if (next !== undefined) layer.set(key, next);
    else if (!layer.delete(key)) return;
    this.#show(of, this.#remote.get(key) ?? this.#local.get(key));
    const { group, version } = of;
    for (const listener of [...this.#listeners]) listener({ group, version });
  }

  /**
   * Makes the documents show `next` as the group-version, or no longer show the group-version if `next` is undefined.
   */
  #show({ group: name, version }: GroupVersion, next: DiscoveryVersion | undefined): void {
    let group = this.#groups.get(name);
    if (group?.get(version)?.version === next) return;
    if (next === undefined) {
      group?.delete(version);
      if (group?.size === 0) this.#groups.delete(name);
      this.#changed(name, true);
      return;
    }
    if (group === undefined) {
      group = new PublishedGroup(name);
      this.#groups.set(name, group);
    }
    const list = new DocumentForms(
      () => apiResourceList(next),
      () => this.#view('APIResourceList'),
    );
    this.#changed(name, group.set(new PublishedVersion(next, list)));
  }

  #changed(group: string, orderChanged: boolean): void {
    if (group === '') {
      this.#core = undefined;
      return;
    }
    this.#named = undefined;
    if (!orderChanged) return;
    this.#sortedGroups = undefined;
    this.#groupList = undefined;
  }

  #view(name: string): StructView {
    const { types } = this.#options;
    if (types === undefined) throw new BugError(`no facts of ${name} for an answer in protobuf`);
    return types.view(META_TYPES + name);
  }
}

function isAggregated(target: TransformTarget | undefined): boolean {
  return target !== undefined && allowsDiscoveryTransform(target);
}

function aggregatedAnswer(document: AggregatedDocument, media: NegotiatedMedia, request: ServerRequest): Answer {
  const version = media.target?.version ?? 'v2';
  const headers = { etag: document.etag, vary: 'Accept', 'cache-control': 'public' };
  if (request.incoming.header('if-none-match') === document.etag)
    return { kind: 'bytes', status: 304, headers, body: EMPTY_BYTES };
  return {
    kind: 'bytes',
    status: 200,
    headers: {
      ...headers,
      'content-type': `${media.accepted.mediaType};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
    },
    body: document.forms(version).bytes(media, request),
  };
}

/** Splits a path into segments without trailing slashes: `/apis/apps//` is `/apis/apps`. */
function trimmedSegments(path: string): string[] {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end--;
  return path.slice(1, end).split('/');
}
