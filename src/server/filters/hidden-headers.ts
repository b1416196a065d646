/**
 * A request without some of its headers. Filters hide the credentials that they have read from everything after them.
 *
 * Invariant: every accessor treats a hidden header as absent.
 */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { ByteSource } from '../http/byte-stream.ts';
import type { BodyResult, Connection, Incoming } from '../http/exchange.ts';

/** Reports whether a header is hidden. Gets its name in lower case. */
export type HiddenHeader = (name: string) => boolean;

const NO_VALUES: readonly string[] = [];

/** Every authenticated request makes one, so the constructor only copies references. */
export class IncomingWithoutHeaders implements Incoming {
  readonly method: string;
  readonly target: string;
  readonly connection: Connection;
  readonly #incoming: Incoming;
  readonly #isHidden: HiddenHeader;

  constructor(incoming: Incoming, isHidden: HiddenHeader) {
    this.method = incoming.method;
    this.target = incoming.target;
    this.connection = incoming.connection;
    this.#incoming = incoming;
    this.#isHidden = isHidden;
  }

  header(name: string): string | undefined {
    return this.#isHidden(name) ? undefined : this.#incoming.header(name);
  }

  headerValues(name: string): readonly string[] {
    return this.#isHidden(name) ? NO_VALUES : this.#incoming.headerValues(name);
  }

  headerNames(): readonly string[] {
    return this.#incoming.headerNames().filter((name) => !this.#isHidden(name));
  }

  body(limit: number): MaybePromise<BodyResult> {
    return this.#incoming.body(limit);
  }

  bodySource(): ByteSource {
    return this.#incoming.bodySource();
  }

  onClose(listener: () => void): void {
    this.#incoming.onClose(listener);
  }
}
