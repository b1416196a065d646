/**
 * The OpenAPI documents of one service. The index of its v3 documents and its v2 document are fetched every minute. The
 * v3 documents are not fetched: requests for them are forwarded to the server.
 *
 * Invariants: the last fetched documents stay published until the APIService is removed, also while its server is
 * unavailable. Only those documents of the index are used that belong to the APIServices of the service and to their
 * groups, so a server cannot replace the documents of other servers.
 */
import { formatGroupVersion } from '../../apimachinery/meta/gvk.ts';
import { objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import { serviceUnavailable } from '../../apimachinery/status/status-catalogue.ts';
import { contentHash } from '../../base/content-hash.ts';
import { TransportError, toError } from '../../base/errors.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject } from '../../base/json-value.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Answer } from '../../server/http/exchange.ts';
import type { ServerRequest } from '../../server/http/server-request.ts';
import type { ForwardedDocument, RemoteOpenApiPublisher } from '../../server/openapi/given-version.ts';
import { type DocumentRequest, type FetchedDocument, fetchDocument } from '../fetch-document.ts';
import type { RefreshPolicy } from '../refresh-machine.ts';
import { RefreshedDocuments, type RefreshedDocumentsOptions } from '../refreshed-documents.ts';
import type { BackendClient, RemoteVersion } from '../remote-version.ts';
import { divideV2, type V2Part } from './v2-parts.ts';

export interface RemoteOpenApiOptions extends RefreshedDocumentsOptions {
  readonly client: BackendClient;
  readonly publisher: RemoteOpenApiPublisher;
  /** Answers a request for a v3 document. Throws, or rejects with, a StatusError if the version is unavailable. */
  forward(request: ServerRequest, to: RemoteVersion): MaybePromise<Answer>;
}

/** The period of kube-aggregator, which waits a minute and more after a failure. */
const POLICY: RefreshPolicy = { periodMs: 60_000, backoff: { initialMs: 1_000, capMs: 60_000 }, gapMs: 1_000 };

/**
 * The user and the time limit are those of kube-aggregator. The limit is long, because servers make these documents on
 * the first request.
 */
const REQUEST: Pick<DocumentRequest, 'user' | 'accept' | 'timeoutMs'> = {
  user: { name: 'system:aggregator', uid: '', groups: [], extra: {} },
  accept: 'application/json',
  timeoutMs: 60_000,
};
const INDEX_BYTES = 1024 * 1024;
const V2_BYTES = 8 * 1024 * 1024;
/**
 * The deepest nesting of a document. Structural schemas nest up to about 100 levels, each of which is two levels of
 * JSON.
 */
const MAX_DEPTH = 1_000;

interface KnownDocuments {
  /** URLs by document name; undefined if the server has no v3. */
  readonly urls: ReadonlyMap<string, string> | undefined;
  readonly v2: KnownV2;
}

/** The v2 document that was read last. */
interface KnownV2 {
  /** By `group/version`. */
  readonly parts: ReadonlyMap<string, V2Part>;
  readonly etag: string;
  readonly hash: string;
  /** The group-versions into which the document was divided. */
  readonly names: string;
}

const NO_V2: KnownV2 = { parts: new Map(), etag: '', hash: '', names: '' };

export class ServiceOpenApi extends RefreshedDocuments {
  readonly #options: RemoteOpenApiOptions;
  #known: KnownDocuments = { urls: new Map(), v2: NO_V2 };
  /** A text that changes with the published documents of a version, by `group/version`. */
  readonly #shown = new Map<string, string>();

  constructor(options: RemoteOpenApiOptions) {
    super(options, 'OpenAPI', POLICY);
    this.#options = options;
  }

  /** Publishes a version unless the same documents are published already. */
  protected override updated(version: RemoteVersion): void {
    const name = formatGroupVersion(version);
    const { urls, v2 } = this.#known;
    const part = v2.parts.get(name);
    const url = urls?.get(`apis/${name}`);
    const groupUrl = urls?.get(`apis/${version.group}`);
    const shown = JSON.stringify([urls === undefined, url, groupUrl, part?.converted.hash]);
    if (this.#shown.get(name) === shown) return;
    this.#shown.set(name, shown);
    this.#options.publisher.publish({
      group: version.group,
      version: version.version,
      document: urls === undefined ? part?.converted : this.#forwarded(version, `apis/${name}`, url),
      groupDocument: this.#forwarded(version, `apis/${version.group}`, groupUrl),
      v2: () => part?.value(),
    });
  }

  protected override removed(version: RemoteVersion): void {
    this.#shown.delete(formatGroupVersion(version));
    this.#options.publisher.remove(version);
  }

  protected override async fetch(to: RemoteVersion, signal: AbortSignal): Promise<void> {
    // If one of the two documents fails, the other is still used.
    const [urls, v2] = await Promise.allSettled([
      this.#fetchIndex(to, signal),
      this.#fetchV2(to, this.versions, signal),
    ]);
    signal.throwIfAborted();
    this.#known = {
      urls: urls.status === 'fulfilled' ? urls.value : this.#known.urls,
      v2: v2.status === 'fulfilled' ? v2.value : this.#known.v2,
    };
    for (const version of this.versions) this.updated(version);
    for (const result of [urls, v2]) if (result.status === 'rejected') throw toError(result.reason);
  }

  async #fetchIndex(to: RemoteVersion, signal: AbortSignal): Promise<ReadonlyMap<string, string> | undefined> {
    const path = '/openapi/v3';
    const answer = await this.#get(to, { path, limitBytes: INDEX_BYTES, signal });
    if (answer.status === 404) return undefined;
    const urls = new Map<string, string>();
    for (const [name, entry] of Object.entries(objectAt(parseDocument(path, answer), 'paths') ?? {})) {
      const url = isJsonObject(entry) ? textAt(entry, 'serverRelativeURL') : '';
      if (url !== '') urls.set(name, url);
    }
    return urls;
  }

  async #fetchV2(to: RemoteVersion, versions: readonly RemoteVersion[], signal: AbortSignal): Promise<KnownV2> {
    const path = '/openapi/v2';
    const names = versions.map(formatGroupVersion).join(' ');
    // Without the ETag if versions were added or removed, because the document must then be divided again.
    const known = this.#known.v2.names === names ? this.#known.v2 : NO_V2;
    const answer = await this.#get(to, { path, etag: known.etag, limitBytes: V2_BYTES, signal });
    if (answer.status === 304 && known.etag !== '') return known;
    if (answer.status === 404) return NO_V2;
    const hash = contentHash(answer.body);
    const parts = known.hash === hash ? known.parts : divideV2(parseDocument(path, answer), versions);
    return { parts, etag: answer.etag, hash, names };
  }

  #get(to: RemoteVersion, request: Omit<DocumentRequest, keyof typeof REQUEST>): Promise<FetchedDocument> {
    return fetchDocument(this.#options, to, { ...REQUEST, ...request });
  }

  #forwarded({ name }: RemoteVersion, document: string, url: string | undefined): ForwardedDocument | undefined {
    if (url === undefined) return undefined;
    const path = `/openapi/v3/${document}`;
    return {
      // The URL of the index is used only if it has this path: requests for other paths are not forwarded.
      url: url.startsWith(`${path}?`) ? url : path,
      answer: (request) => {
        const version = this.versions.find((candidate) => candidate.name === name);
        if (version === undefined) throw new StatusError(serviceUnavailable(`APIService ${name} was removed`));
        return this.#options.forward(request, version);
      },
    };
  }
}

function parseDocument(path: string, { status, body }: FetchedDocument): JsonObject {
  if (status !== 200) throw new TransportError(`GET ${path}: the answer has the status ${status}`);
  const read = readJson(body, { maxDepth: MAX_DEPTH });
  if (!read.ok) throw new TransportError(`GET ${path}: the answer is not JSON: ${read.error.message}`);
  if (isJsonObject(read.value)) return read.value;
  throw new TransportError(`GET ${path}: the answer is not an object`);
}
