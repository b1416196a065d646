/** A TCP proxy that disturbs connections: cuts, delays and stalls them, and refuses new ones. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket, connect as tcpConnect } from 'node:net';
import { Transform } from 'node:stream';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export class ChaosProxy {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #refuses = false;
  #delayMs = 0;

  private constructor(port: number) {
    this.#server = createServer((client) => this.#open(client, port));
  }

  /** Listens on a free loopback port and connects to `port`. */
  static async start(port: number): Promise<ChaosProxy> {
    const proxy = new ChaosProxy(port);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Each piece of data waits this long, in both directions. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Resets the connections for which `chosen` returns true. */
  cut(chosen: () => boolean): void {
    for (const pair of this.#pairs) if (chosen()) drop(pair);
  }

  /** Passes no more bytes of the server on. The connections stay open until `cut`. */
  stall(): void {
    for (const { server } of this.#pairs) {
      server.unpipe();
      server.resume();
      server.on('data', () => undefined);
    }
  }

  /** Whether new connections are reset. */
  refuse(refuses: boolean): void {
    this.#refuses = refuses;
  }

  stop(): void {
    this.#server.close();
    this.cut(() => true);
  }

  #open(client: Socket, port: number): void {
    if (this.#refuses) {
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const pair: Pair = { client, server: tcpConnect(port, '127.0.0.1') };
    this.#pairs.add(pair);
    for (const socket of [pair.client, pair.server]) {
      socket.on('error', () => drop(pair));
      socket.on('close', () => {
        drop(pair);
        this.#pairs.delete(pair);
      });
    }
    client.pipe(this.#delayed()).pipe(pair.server);
    pair.server.pipe(this.#delayed()).pipe(client);
  }

  #delayed(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (this.#delayMs === 0) done(null, chunk);
        else setTimeout(done, this.#delayMs, null, chunk);
      },
    });
  }
}

function drop({ client, server }: Pair): void {
  client.resetAndDestroy();
  server.resetAndDestroy();
}
