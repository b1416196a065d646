/**
 * The types of a remote group-version (an APIService with `spec.service`) and of the client for its server. The proxy,
 * discovery, OpenAPI and the availability checks share them.
 */
import type { HttpHeaders } from '../apimachinery/http/transport.ts';
import { flagAt, numberAt, objectAt, objectsAt, textAt } from '../apimachinery/meta/object-fields.ts';
import type { UserInfo } from '../apimachinery/meta/user-info.ts';
import { decodeBase64 } from '../base/base64.ts';
import { decodeUtf8, EMPTY_BYTES } from '../base/bytes.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { ByteSource } from '../server/http/byte-stream.ts';
import type { OutboundResponse, OutboundUpgrade, RequestObserver } from '../server/http/outbound.ts';

/** The condition Available of an APIService. */
export interface Availability {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** The availability of an APIService that has no condition yet. */
export const NOT_CHECKED: Availability = { status: 'Unknown', reason: '', message: '' };

export interface BackendService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** One remote APIService, parsed. It is immutable: a change of the APIService makes a new RemoteVersion. */
export interface RemoteVersion {
  /** The name of the APIService: `v1.bank.example.com`. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly service: BackendService;
  /** PEM of `spec.caBundle`; '' if absent. */
  readonly ca: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** NOT_CHECKED until the first check has finished. */
  readonly availability: Availability;
}

export interface BackendRequest {
  readonly method: string;
  /** Path and query, as sent on the request line: `/apis/bank.example.com/v1/accounts?limit=500`. */
  readonly target: string;
  /** Names in lower case, without connection headers. */
  readonly headers: HttpHeaders;
  /** Default: none. */
  readonly body?: Uint8Array | ByteSource;
  /**
   * Cancels the request. Before the response, the call rejects with the reason of the signal; afterwards, the body
   * aborts.
   */
  readonly signal?: AbortSignal;
  /** Observes the request. Called for each endpoint that is tried. */
  readonly observer?: RequestObserver;
  /** The user to send in the headers X-Remote-*. Default: the headers are not sent. */
  readonly user?: UserInfo;
  /**
   * Whether the request is forwarded for a client of this server. Then X-Forwarded-Host is set to the address of the
   * backend, as in kube-aggregator, and the BackendClient takes ownership of `headers` and adds to them. Default false.
   */
  readonly isForwarded?: boolean;
}

export interface BackendUpgradeRequest extends Omit<BackendRequest, 'body'> {
  /** The value of the Upgrade header, such as `websocket` or `SPDY/3.1`. */
  readonly upgrade: string;
}

/**
 * The client for the servers behind APIServices. It resolves the service, presents the front-proxy certificate, and
 * verifies the server's certificate for `<service>.<namespace>.svc`. Failures are TransportErrors in the words of Go's
 * HTTP client. Their `retryable` is true if, and only if, the request was not sent.
 */
export interface BackendClient {
  /** Sends a request and resolves with the head of the response. Follows no redirects. */
  request(to: RemoteVersion, request: BackendRequest): Promise<OutboundResponse>;
  /** Sends an upgrade request over a new HTTP/1.1 connection. */
  upgrade(to: RemoteVersion, request: BackendUpgradeRequest): Promise<OutboundUpgrade>;
}

/** Whether requests may be sent to the server of a version. */
export function isAvailable({ availability }: RemoteVersion): boolean {
  return availability.status === 'True';
}

const DEFAULT_PORT = 443;

/** Parses an APIService. Returns undefined for a local APIService, which has no `spec.service`. */
export function parseRemoteVersion(object: JsonObject): RemoteVersion | undefined {
  const service = objectAt(object, 'spec', 'service');
  if (service === undefined) return undefined;
  const spec = objectAt(object, 'spec') as JsonObject;
  return {
    name: textAt(objectAt(object, 'metadata') ?? {}, 'name'),
    group: textAt(spec, 'group'),
    version: textAt(spec, 'version'),
    service: {
      namespace: textAt(service, 'namespace'),
      name: textAt(service, 'name'),
      port: Number(numberAt(service, 'port')) || DEFAULT_PORT,
    },
    ca: decodeUtf8(decodeBase64(textAt(spec, 'caBundle')) ?? EMPTY_BYTES),
    insecureSkipTlsVerify: flagAt(spec, 'insecureSkipTLSVerify'),
    groupPriority: Number(numberAt(spec, 'groupPriorityMinimum')),
    versionPriority: Number(numberAt(spec, 'versionPriority')),
    availability: availabilityOf(object),
  };
}

/** Reads the condition Available of an APIService. */
export function availabilityOf(object: JsonObject): Availability {
  const condition = objectsAt(object, 'status', 'conditions').find(({ type }) => type === 'Available');
  if (condition === undefined) return NOT_CHECKED;
  const status = textAt(condition, 'status');
  return {
    status: status === 'True' || status === 'False' ? status : 'Unknown',
    reason: textAt(condition, 'reason'),
    message: textAt(condition, 'message'),
  };
}
