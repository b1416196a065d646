/**
 * A TCP load balancer of the suites: it asks each server for /readyz and gives new connections to those that are ready,
 * in turns. Open connections stay where they are, as with a balancer of layer 4.
 */
import { once } from 'node:events';
import { request } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const CHECK_MS = 100;

interface Backend {
  readonly port: number;
  isReady: boolean;
  /** When a connection to the server last broke, on the clock of `performance.now()`. */
  brokeAt: number;
}

export class Balancer {
  readonly #backends: readonly Backend[];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #timer: NodeJS.Timeout;
  #next = 0;

  private constructor(ports: readonly number[]) {
    this.#backends = ports.map((port) => ({ port, isReady: false, brokeAt: 0 }));
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
    this.#timer = setInterval(() => this.#backends.forEach(check), CHECK_MS);
  }

  static async start(ports: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports);
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  isReady(port: number): boolean {
    return this.#backends.some((backend) => backend.port === port && backend.isReady);
  }

  /** When a connection to the server at this port last broke. */
  brokeAt(port: number): number {
    return this.#backends.find((backend) => backend.port === port)?.brokeAt ?? 0;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    this.#sockets.add(client);
    client.on('error', () => undefined);
    client.on('close', () => this.#sockets.delete(client));
    const first = this.#next++;
    const order = this.#backends.map((_, i) => this.#backends[(first + i) % this.#backends.length] as Backend);
    this.#forward(client, [...order.filter(({ isReady }) => isReady), ...order.filter(({ isReady }) => !isReady)]);
  }

  /** Takes the next server if one does not accept the connection. */
  #forward(client: Socket, [backend, ...others]: readonly Backend[]): void {
    if (backend === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect({ host: '127.0.0.1', port: backend.port, noDelay: true });
    const refused = (): void => this.#forward(client, others);
    upstream.once('error', refused);
    upstream.once('connect', () => {
      upstream.off('error', refused);
      upstream.on('error', () => {
        backend.brokeAt = performance.now();
      });
      upstream.on('close', () => {
        backend.brokeAt = performance.now();
        client.destroySoon();
      });
      client.on('close', () => upstream.destroy());
      client.pipe(upstream);
      upstream.pipe(client);
    });
  }
}

function check(backend: Backend): void {
  const asked = request(
    { host: '127.0.0.1', port: backend.port, path: '/readyz', rejectUnauthorized: false, timeout: 1_000, agent: false },
    (response) => {
      backend.isReady = response.statusCode === 200;
      response.resume();
    },
  );
  asked.on('error', () => {
    backend.isReady = false;
  });
  asked.on('timeout', () => asked.destroy());
  asked.end();
}
