/**
 * The OpenAPI manager: answers `/openapi/v3`, its documents, and `/openapi/v2`. All servers of a chain publish into one
 * manager. The aggregator publishes the versions of other servers into `remote`; they hide local ones of the same name.
 *
 * Invariant: publishing makes no document. A document is made on its first request, kept as bytes, and dropped when its
 * group-version is published again.
 */
import { parseAccept } from '../../apimachinery/codec/media-type.ts';
import type { TypeDescriptions } from '../../apimachinery/facts/descriptions.ts';
import type { GroupVersion } from '../../apimachinery/meta/gvk.ts';
import { firstParam } from '../../apimachinery/meta/query.ts';
import { EMPTY_BYTES, encodeUtf8 } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { compareUtf8 } from '../../base/utf8.ts';
import type { Answer, AnswerHeaders } from '../http/exchange.ts';
import type { ServerRequest } from '../http/server-request.ts';
import type { MetaTypes } from '../resource/meta-types.ts';
import { REFERENCE_VERSION } from '../version-info.ts';
import { DocumentV2 } from './document-v2.ts';
import { type DocumentInfo, type DocumentParts, documentText, type SimplePath } from './document-v3.ts';
import type { ForwardedDocument, GivenVersion, RemoteOpenApiPublisher, ServedDocument } from './given-version.ts';
import { gnosticV2 } from './gnostic/gnostic-v2.ts';
import { gnosticV3 } from './gnostic/gnostic-v3.ts';
import type { OpenApiPublisher, OpenApiVersion } from './openapi-publisher.ts';
import { PathTemplates } from './path-templates.ts';
import { hashesOf, type PreparedOpenApi } from './prepared.ts';
import { PublishedDocument } from './published-document.ts';
import { SchemaCache } from './schema-text.ts';
import {
  type DocumentSettings,
  GROUPS_ROOT,
  groupDocument as groupDocumentName,
  groupPath,
  LEGACY_ROOT,
  simpleParts,
  versionParts,
} from './version-document.ts';

export interface OpenApiOptions {
  readonly clock: Clock;
  readonly types: MetaTypes;
  /** Default: the reference's title, and the reference version that this server follows. */
  readonly info?: DocumentInfo;
  /** Documented paths that are not resources, such as VERSION_PATH. Default none. */
  readonly paths?: readonly SimplePath[];
  /** The descriptions of the server's own types. Default: only the types that all servers share have descriptions. */
  readonly descriptions?: TypeDescriptions;
  /**
   * Returns the documents that the build has prepared for the server's own kinds. Called when `/openapi/v2` is
   * requested. Default: none.
   */
  readonly prepared?: () => PreparedOpenApi | undefined;
}

const NO_CACHE = 'no-cache, private';
/** The prefix of the types that are kept between documents, because thousands of documents may use them. */
const SHARED_TYPES = 'io.k8s.apimachinery.';
const JSON_TYPE = 'application/json';

/** The media types of requests and answers for both versions. Older clients send the names with `@`. */
const FORMS = {
  v2: formsOf('v2'),
  v3: formsOf('v3'),
} as const;

export class OpenApiManager implements OpenApiPublisher {
  readonly #options: OpenApiOptions;
  readonly #info: DocumentInfo;
  readonly #settings: DocumentSettings;
  /** By the name of the document: `api/v1`, `apis/apps/v1`, `apis/apps`, `version`. */
  readonly #documents = new Map<string, ServedDocument>();
  /** The group-versions of owned groups, by the name of their document. */
  readonly #versions = new Map<string, GroupVersion>();
  /** The function that makes the parts of each document. */
  readonly #sources = new Map<string, (settings: DocumentSettings) => DocumentParts>();
  /** Owned versions of each group. The discovery paths of a group are documented while it has one. */
  readonly #owned = new Map<string, Set<string>>();
  /** The versions of other servers, by the name of their document. */
  readonly #given = new Map<string, GivenVersion>();
  /** Publishes the versions of other servers. */
  readonly remote: RemoteOpenApiPublisher = {
    publish: (given) => {
      this.#given.set(documentName(given), given);
      this.#changed();
    },
    remove: (version) => {
      if (this.#given.delete(documentName(version))) this.#changed();
    },
  };
  #index: Uint8Array | undefined;
  #v2: PublishedDocument | undefined;

  constructor(options: OpenApiOptions) {
    this.#options = options;
    const { major, minor } = REFERENCE_VERSION;
    this.#info = options.info ?? { title: 'Kubernetes', version: `${major}.${minor}` };
    this.#settings = {
      types: options.types,
      templates: new PathTemplates(),
      schemas: new SchemaCache((name) => name.startsWith(SHARED_TYPES)),
      describe: options.descriptions?.describe,
    };
    for (const path of [GROUPS_ROOT, ...(options.paths ?? [])]) this.#addSimple(path);
  }

  publish(version: OpenApiVersion): void {
    if (version.ownsGroup === true)
      this.#versions.set(documentName(version), { group: version.group, version: version.version });
    this.#sources.set(documentName(version), (settings) => versionParts(version, settings));
    const { descriptions } = this.#options;
    this.#documents.set(
      documentName(version),
      new PublishedDocument({
        make: () => documentText(this.#info, versionParts(version, this.#settings)),
        encode: gnosticV3,
        // A getter, so that the publisher computes the fingerprint only when it is needed.
        get fingerprint() {
          const own = version.fingerprint;
          return own === undefined ? undefined : `${own} ${descriptions?.fingerprint() ?? ''}`;
        },
      }),
    );
    this.#own(version, version.ownsGroup === true);
    this.#changed();
  }

  /** Does nothing if the version is not published. */
  remove(version: GroupVersion): void {
    if (!this.#documents.delete(documentName(version))) return;
    this.#versions.delete(documentName(version));
    this.#sources.delete(documentName(version));
    this.#own(version, false);
    this.#changed();
  }

  /** Returns the paths that `/` lists. */
  paths(): readonly string[] {
    return ['/openapi/v2', '/openapi/v3', '/openapi/v3/'];
  }

  /** Returns undefined for other paths. Every method is accepted, as in the reference. */
  handle(request: ServerRequest): MaybePromise<Answer> | undefined {
    const { path } = request.info;
    if (!path.startsWith('/openapi/v')) return undefined;
    if (path === '/openapi/v2') return this.#answerV2(request);
    if (path === '/openapi/v3') return this.#answerIndex();
    return path.startsWith('/openapi/v3/') ? this.#answerV3(request, path.slice('/openapi/v3/'.length)) : undefined;
  }

  /** The reference sets no content type here, and Go detects text. */
  #answerIndex(): Answer {
    if (this.#index === undefined) {
      const listed = this.#listed();
      const names = [...listed.keys()].sort(compareUtf8);
      const entries = names.map((name) => {
        const document = listed.get(name) as ServedDocument | ForwardedDocument;
        const url = 'url' in document ? document.url : documentUrl(name, document.hash);
        return `${JSON.stringify(name)}:{"serverRelativeURL":${JSON.stringify(url)}}`;
      });
      this.#index = encodeUtf8(`{"paths":{${entries.join(',')}}}`);
    }
    const headers = { 'cache-control': NO_CACHE, 'content-type': 'text/plain; charset=utf-8' };
    return { kind: 'bytes', status: 200, headers, body: this.#index };
  }

  /** Returns the documents of the index, by name. */
  #listed(): ReadonlyMap<string, ServedDocument | ForwardedDocument> {
    if (this.#given.size === 0) return this.#documents;
    const listed = new Map<string, ServedDocument | ForwardedDocument>(this.#documents);
    for (const { group, groupDocument } of this.#given.values())
      if (groupDocument !== undefined && !this.#documents.has(groupDocumentName(group)))
        listed.set(groupDocumentName(group), groupDocument);
    for (const [name, { document }] of this.#given) {
      if (document === undefined) listed.delete(name);
      else listed.set(name, document);
    }
    return listed;
  }

  #answerV3(request: ServerRequest, name: string): MaybePromise<Answer> {
    const document = this.#given.size === 0 ? this.#documents.get(name) : this.#listed().get(name);
    if (document !== undefined && 'url' in document) return document.answer(request);
    const form = formOf(request, FORMS.v3);
    if (form === undefined) return empty(406, { 'cache-control': NO_CACHE, vary: 'Accept' });
    if (document === undefined) return empty(404, { 'cache-control': NO_CACHE });
    const headers = { 'content-type': form.answered, etag: `"${document.hash}"`, vary: 'Accept' };
    const asked = firstParam(request.info.params, 'hash') ?? '';
    if (asked !== '' && asked !== document.hash) {
      const location = documentUrl(name, document.hash);
      return empty(301, { ...headers, 'cache-control': NO_CACHE, location });
    }
    // The URL contains the hash, so its content never changes.
    const caching: Readonly<Record<string, string>> =
      asked === ''
        ? { 'cache-control': NO_CACHE }
        : { 'cache-control': 'public, immutable', expires: inOneYear(this.#options.clock.now()) };
    return conditional(request, { ...headers, ...caching }, () =>
      form.isProtobuf ? document.protobuf() : document.json(),
    );
  }

  #answerV2(request: ServerRequest): MaybePromise<Answer> {
    const form = formOf(request, FORMS.v2);
    if (form === undefined) return empty(406, { 'cache-control': NO_CACHE, vary: 'Accept-Encoding, Accept' });
    this.#v2 ??= new PublishedDocument({ make: () => this.#makeV2(), encode: gnosticV2 });
    const document = this.#v2;
    const headers = {
      'cache-control': NO_CACHE,
      'content-type': form.answered,
      etag: `"${document.hash}"`,
      vary: 'Accept-Encoding, Accept',
    };
    return conditional(request, headers, () => (form.isProtobuf ? document.protobuf() : document.json()));
  }

  /** Schemas and path templates are shared within this document and dropped afterwards. */
  #makeV2(): string {
    const prepared = this.#prepared();
    const has = (name: string): boolean => prepared?.hashes.has(name) === true;
    const whole = prepared === undefined ? new DocumentV2() : DocumentV2.from(prepared.v2);
    const settings = {
      ...this.#settings,
      templates: new PathTemplates({ all: true }),
      schemas: new SchemaCache(() => true),
    };
    const versions: GroupVersion[] = [];
    for (const name of [...this.#sources.keys()].sort(compareUtf8)) {
      if (this.#given.has(name)) continue;
      const parts = has(name) ? undefined : this.#sources.get(name)?.(settings);
      if (parts !== undefined) whole.add(parts);
      const version = this.#versions.get(name);
      if (version !== undefined) versions.push(version);
    }
    whole.complete(versions);
    for (const name of [...this.#given.keys()].sort(compareUtf8)) {
      const given = this.#given.get(name)?.v2();
      if (given !== undefined) whole.merge(given);
    }
    return whole.text(this.#info);
  }

  /** Returns the prepared documents if all of them are published unchanged. */
  #prepared(): { readonly v2: string; readonly hashes: ReadonlyMap<string, string> } | undefined {
    const prepared = this.#options.prepared?.();
    if (prepared === undefined) return undefined;
    const hashes = hashesOf(prepared.index);
    const isSame = ([name, hash]: readonly [string, string]): boolean =>
      this.#documents.get(name)?.hash === hash && !this.#given.has(name);
    return hashes !== undefined && [...hashes].every(isSame) ? { v2: prepared.v2, hashes } : undefined;
  }

  #own({ group, version }: GroupVersion, isOwned: boolean): void {
    const versions = this.#owned.get(group) ?? new Set();
    if (isOwned) versions.add(version);
    else versions.delete(version);
    const name = group === '' ? LEGACY_ROOT.document : groupDocumentName(group);
    if (versions.size === 0) {
      this.#owned.delete(group);
      this.#documents.delete(name);
      this.#sources.delete(name);
      return;
    }
    this.#owned.set(group, versions);
    if (!this.#documents.has(name)) this.#addSimple(group === '' ? LEGACY_ROOT : groupPath(group));
  }

  #addSimple(path: SimplePath): void {
    const make = (): string => documentText(this.#info, simpleParts(path, this.#settings));
    this.#sources.set(path.document, (settings) => simpleParts(path, settings));
    this.#documents.set(path.document, new PublishedDocument({ make, encode: gnosticV3 }));
  }

  #changed(): void {
    this.#index = undefined;
    this.#v2 = undefined;
  }
}

function documentName({ group, version }: GroupVersion): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function documentUrl(name: string, hash: string): string {
  return `/openapi/v3/${name}?hash=${hash}`;
}

interface Form {
  readonly asked: string;
  readonly answered: string;
  readonly isProtobuf: boolean;
}

function formsOf(version: 'v2' | 'v3'): readonly Form[] {
  const protobuf = `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;
  return [
    { asked: JSON_TYPE, answered: JSON_TYPE, isProtobuf: false },
    { asked: protobuf, answered: protobuf, isProtobuf: true },
    { asked: protobuf.replace('.v1.0', '@v1.0'), answered: protobuf, isProtobuf: true },
  ];
}

/** Returns the form of the first matching clause of Accept; undefined for a 406. */
function formOf({ incoming }: ServerRequest, forms: readonly Form[]): Form | undefined {
  const accept = incoming.header('accept') ?? '';
  for (const { type, subtype } of parseAccept(accept === '' ? '*/*' : accept)) {
    if (type !== 'application' && type !== '*') continue;
    const form = forms.find(({ asked }) => subtype === '*' || asked === `application/${subtype}`);
    if (form !== undefined) return form;
  }
  return undefined;
}

/** Answers 304 if the client has the current document. */
function conditional(
  { incoming }: ServerRequest,
  headers: Readonly<Record<string, string>>,
  body: () => MaybePromise<Uint8Array>,
): MaybePromise<Answer> {
  const isRead = incoming.method === 'GET' || incoming.method === 'HEAD';
  if (isRead && matchesEtag(incoming.header('if-none-match'), headers.etag ?? '')) {
    const { 'content-type': _, ...others } = headers;
    return empty(304, others);
  }
  return andThen(body(), (bytes) => ({ kind: 'bytes', status: 200, headers, body: bytes }));
}

/** Compares weakly with a list of tags, or with `*`. */
function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((part) => {
    const tag = part.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}

function empty(status: number, headers: AnswerHeaders): Answer {
  return { kind: 'bytes', status, headers, body: EMPTY_BYTES };
}

/** Prints the date like the reference, with Go's name of the time zone. */
function inOneYear(now: number): string {
  const then = new Date(now);
  then.setUTCFullYear(then.getUTCFullYear() + 1);
  return then.toUTCString().replace('GMT', 'UTC');
}
