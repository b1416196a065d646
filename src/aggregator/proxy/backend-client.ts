/**
 * The client for the servers behind APIServices.
 *
 * Invariants: the Service is resolved for every request, so changes of its endpoints take effect at once. A request is
 * tried at another endpoint only if no byte of it was sent to the first. A request to `default/kubernetes:443` uses no
 * socket.
 */
import type { Transport } from '../../apimachinery/http/transport.ts';
import { isTransportError, TransportError } from '../../base/errors.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { type ByteSink, type ByteSource, EMPTY_SOURCE } from '../../server/http/byte-stream.ts';
import type {
  ClientKeyPair,
  OutboundClient,
  OutboundResponse,
  OutboundServer,
  OutboundUpgrade,
  ServiceAddress,
  ServiceResolver,
} from '../../server/http/outbound.ts';
import type {
  BackendClient,
  BackendRequest,
  BackendService,
  BackendUpgradeRequest,
  RemoteVersion,
} from '../remote-version.ts';
import { sendToSelf } from './send-to-self.ts';
import { type MutableHeaders, setUserHeaders } from './user-headers.ts';

export interface BackendClientOptions {
  readonly outbound: OutboundClient;
  readonly services: ServiceResolver;
  /**
   * Called for every request. Returns the certificate of the front proxy, which is the same object until it is renewed.
   * Undefined: no client certificate is presented.
   */
  readonly clientCertificate: () => ClientKeyPair | undefined;
  /** Answers requests to `default/kubernetes:443`. Default: they fail. */
  readonly loopback?: Transport;
}

/** The most endpoints that are tried for one request. */
const MAX_ATTEMPTS = 3;
/** The most known servers of one version. Old ones are dropped, because endpoints change with every rollout. */
const MAX_SERVERS = 256;

export function createBackendClient(options: BackendClientOptions): BackendClient {
  return new ServiceBackendClient(options);
}

/** Whether the Service is that of this server itself. kube-apiserver sends such requests to its loopback address. */
export function isOwnService({ namespace, name, port }: BackendService): boolean {
  return port === 443 && name === 'kubernetes' && namespace === 'default';
}

/** The servers of one version, by host. Most have one. */
type VersionServers = Map<string, KnownServer>;

interface KnownServer {
  readonly port: number;
  readonly certificate: ClientKeyPair | undefined;
  readonly server: OutboundServer;
}

/** One request, which is tried at several endpoints until one accepts it. */
interface Sending<T> {
  readonly to: RemoteVersion;
  send(server: OutboundServer): Promise<T>;
  /** Whether the request can be sent again. */
  canRepeat(): boolean;
}

const always = (): boolean => true;

class ServiceBackendClient implements BackendClient {
  readonly #options: BackendClientOptions;
  readonly #servers = new WeakMap<RemoteVersion, VersionServers>();

  constructor(options: BackendClientOptions) {
    this.#options = options;
  }

  request(to: RemoteVersion, request: BackendRequest): Promise<OutboundResponse> {
    if (isOwnService(to.service)) return this.#sendToSelf(request);
    const { body } = request;
    if (body === undefined || body === EMPTY_SOURCE || body instanceof Uint8Array)
      return this.#send({
        to,
        send: (server) => server.request(withServerHeaders(request, server)),
        canRepeat: always,
      });
    const once = new OnceSource(body);
    const message = { ...request, body: once };
    return this.#send({
      to,
      send: (server) => server.request(withServerHeaders(message, server)),
      canRepeat: () => !once.isUsed,
    });
  }

  upgrade(to: RemoteVersion, request: BackendUpgradeRequest): Promise<OutboundUpgrade> {
    if (isOwnService(to.service))
      return Promise.reject(new TransportError('a connection of this server to itself cannot be upgraded'));
    return this.#send({ to, send: (server) => server.upgrade(withServerHeaders(request, server)), canRepeat: always });
  }

  #send<T>(sending: Sending<T>): Promise<T> {
    let address: MaybePromise<ServiceAddress>;
    try {
      address = this.#resolve(sending.to, []);
    } catch (caught) {
      return Promise.reject(caught);
    }
    return isPromise(address) ? address.then((found) => this.#sendTo(found, sending)) : this.#sendTo(address, sending);
  }

  #sendTo<T>(address: ServiceAddress, sending: Sending<T>): Promise<T> {
    return sending.send(this.#server(sending.to, address)).catch((caught: unknown) => {
      if (!isUnsent(caught) || !sending.canRepeat()) throw caught;
      return this.#sendElsewhere(sending, address, caught);
    });
  }

  /** Tries other endpoints. Rejects with `failure` if there are none. */
  async #sendElsewhere<T>(sending: Sending<T>, first: ServiceAddress, failure: unknown): Promise<T> {
    const tried = [first];
    while (tried.length < MAX_ATTEMPTS) {
      const address = await this.#resolve(sending.to, tried);
      if (tried.some(({ host, port }) => host === address.host && port === address.port)) break;
      tried.push(address);
      try {
        return await sending.send(this.#server(sending.to, address));
      } catch (caught) {
        if (!isUnsent(caught) || !sending.canRepeat()) throw caught;
      }
    }
    throw failure;
  }

  #resolve({ service }: RemoteVersion, tried: readonly ServiceAddress[]): MaybePromise<ServiceAddress> {
    return this.#options.services.resolve(service.namespace, service.name, service.port, tried);
  }

  #server(to: RemoteVersion, address: ServiceAddress): OutboundServer {
    const certificate = this.#options.clientCertificate();
    let servers = this.#servers.get(to);
    if (servers === undefined) {
      servers = new Map();
      this.#servers.set(to, servers);
    }
    const known = servers.get(address.host);
    if (known !== undefined && known.port === address.port && known.certificate === certificate) return known.server;
    const { service, ca, insecureSkipTlsVerify } = to;
    const server = this.#options.outbound.server({
      address,
      serverName: `${service.name}.${service.namespace}.svc`,
      ca,
      insecureSkipVerify: insecureSkipTlsVerify,
      clientCertificate: certificate,
    });
    if (servers.size >= MAX_SERVERS) servers.clear();
    servers.set(address.host, { port: address.port, certificate, server });
    return server;
  }

  #sendToSelf(request: BackendRequest): Promise<OutboundResponse> {
    const { loopback } = this.#options;
    if (loopback !== undefined) return sendToSelf(loopback, withUser(request, { ...request.headers }));
    return Promise.reject(new TransportError('this server cannot be reached through its own service'));
  }
}

function isUnsent(caught: unknown): boolean {
  return isTransportError(caught) && caught.retryable;
}

type Headed = Pick<BackendRequest, 'headers' | 'user' | 'isForwarded'>;

/** Adds the headers that depend on the server. */
function withServerHeaders<T extends Headed>(request: T, server: OutboundServer): T {
  if (!request.isForwarded) return request.user === undefined ? request : withUser(request, { ...request.headers });
  const headers = request.headers as MutableHeaders;
  headers['x-forwarded-host'] = server.authority;
  return withUser(request, headers);
}

function withUser<T extends Headed>(request: T, headers: MutableHeaders): T {
  if (request.user !== undefined) setUserHeaders(headers, request.user);
  return headers === request.headers ? request : { ...request, headers };
}

/** A request body that records whether it was piped: then its bytes cannot be sent again. */
class OnceSource implements ByteSource {
  readonly #source: ByteSource;
  isUsed = false;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  pipeTo(sink: ByteSink): void {
    this.isUsed = true;
    this.#source.pipeTo(sink);
  }
}
