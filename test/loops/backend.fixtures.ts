/** An extension API server in this process, behind the outbound client of a control plane. No socket is opened. */
import { sendToSelf } from '../../src/aggregator/proxy/send-to-self.ts';
import { concatBytes } from '../../src/base/bytes.ts';
import { TransportError } from '../../src/base/errors.ts';
import type { UntypedObject } from '../../src/client/object-types.ts';
import { APIService } from '../../src/kinds/api/apiregistration/v1.ts';
import { Service } from '../../src/kinds/api/core/v1.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { type ApiServer, createServer } from '../../src/server/create-server.ts';
import type { ByteSource } from '../../src/server/http/byte-stream.ts';
import type { OutboundClient } from '../../src/server/http/outbound.ts';
import { defineResource } from '../../src/server/resource/define-resource.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import type { Plane } from './plane.fixtures.ts';

export const ACCOUNT: Kind<UntypedObject> = {
  group: 'bank.example.com',
  version: 'v1',
  kind: 'Account',
  plural: 'accounts',
  scope: 'Namespaced',
};
export const API_SERVICE = 'v1.bank.example.com';

const ACCOUNTS = defineResource<object>({
  ...ACCOUNT,
  schema: { type: 'object', properties: { spec: { type: 'object', properties: { owner: { type: 'string' } } } } },
});

export class Backend {
  readonly #server: ApiServer = createServer({ resources: [ACCOUNTS], storage: createMemoryStorage() });
  /** Whether connections are refused. */
  down = false;

  /** The outbound client that reaches this server at every address. */
  readonly outbound: OutboundClient = {
    server: () => ({
      authority: 'backend:443',
      request: async ({ method, target, headers, body, signal }) => {
        this.#checkUp();
        const bytes = body === undefined || body instanceof Uint8Array ? body : await readAll(body);
        return sendToSelf(this.#server.transport, {
          method,
          target,
          headers,
          ...(bytes && { body: bytes }),
          ...(signal && { signal }),
        });
      },
      upgrade: () => Promise.reject(new TransportError('no upgrades here')),
    }),
    post: () => Promise.reject(new TransportError('no webhooks here')),
    request: () => Promise.reject(new TransportError('no other servers here')),
    upgrade: () => Promise.reject(new TransportError('no upgrades here')),
    stop: () => Promise.resolve(),
  };

  async start(): Promise<void> {
    await this.#server.start();
  }

  async stop(): Promise<void> {
    await this.#server.stop();
  }

  #checkUp(): void {
    if (this.down) throw new TransportError('dial tcp 10.0.0.1:443: connect: connection refused', { retryable: true });
  }
}

/** Registers the server with a Service of type ExternalName. Does not wait until it is available. */
export async function register({ client }: Plane): Promise<void> {
  const metadata = { name: 'bank', namespace: 'default' };
  await client.api(Service, 'default').create({ metadata, spec: { type: 'ExternalName', externalName: 'backend' } });
  await client.api(APIService).create({
    metadata: { name: API_SERVICE },
    spec: {
      group: ACCOUNT.group,
      version: ACCOUNT.version,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'bank', port: 443 },
    },
  });
}

function readAll(source: ByteSource): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    source.pipeTo({
      write: (written) => {
        chunks.push(...written.map((chunk) => chunk.slice()));
        return true;
      },
      onDrain: () => undefined,
      end: () => resolve(concatBytes(chunks)),
      abort: () => reject(new TransportError('the body was aborted')),
      onClose: () => undefined,
    });
  });
}
