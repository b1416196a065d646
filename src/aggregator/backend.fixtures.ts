/** Remote versions for tests, and a BackendClient whose server is a function. */
import { onAbort } from '../base/abort.ts';
import { encodeUtf8 } from '../base/bytes.ts';
import { Deferred } from '../base/deferred.ts';
import { BugError } from '../base/errors.ts';
import type { ByteSink } from '../server/http/byte-stream.ts';
import type { BackendClient, BackendRequest, RemoteVersion } from './remote-version.ts';

export function remoteOf(group: string, version: string, more: Partial<RemoteVersion> = {}): RemoteVersion {
  return {
    name: `${version}.${group}`,
    group,
    version,
    service: { namespace: 'ns', name: 'api', port: 443 },
    ca: '',
    insecureSkipTlsVerify: false,
    groupPriority: 1000,
    versionPriority: 10,
    availability: { status: 'True', reason: 'Passed', message: '' },
    ...more,
  };
}

export interface TestAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The chunks of the body. Default: none. */
  readonly body?: string | readonly string[];
  /** Default `end`. `abort`: the connection breaks after the chunks. `hang`: the response never ends. */
  readonly ending?: 'end' | 'abort' | 'hang';
}

/** An error is a failure of the connection. Undefined: the server never answers. */
export type TestServer = (request: BackendRequest, to: RemoteVersion) => TestAnswer | Error | undefined;

export interface TestBackend extends BackendClient {
  /** The requests that the server got: `GET /apis`. */
  readonly seen: string[];
  /** The requests that have neither ended nor been aborted. */
  readonly open: number;
}

export function testBackend(server: TestServer): TestBackend {
  const seen: string[] = [];
  let open = 0;
  const hang = async (signal: AbortSignal | undefined): Promise<never> => {
    const aborted = new Deferred<never>();
    onAbort(signal, (reason) => aborted.reject(reason));
    return aborted.promise;
  };
  return {
    seen,
    get open() {
      return open;
    },
    async request(to, request) {
      seen.push(`${request.method} ${request.target}`);
      open++;
      let isOpen = true;
      const close = (): void => {
        if (isOpen) open--;
        isOpen = false;
      };
      onAbort(request.signal, close);
      const answer = server(request, to);
      if (answer === undefined) return hang(request.signal);
      if (answer instanceof Error) {
        close();
        throw answer;
      }
      const { status = 200, headers = {}, body = [], ending = 'end' } = answer;
      return {
        status,
        headers,
        abort: close,
        pipeTo: (sink: ByteSink) => {
          for (const chunk of typeof body === 'string' ? [body] : body) sink.write([encodeUtf8(chunk)]);
          if (ending === 'hang') return;
          if (ending === 'end') sink.end();
          else sink.abort();
          close();
        },
      };
    },
    upgrade: () => {
      throw new BugError('the test server has no upgrades');
    },
  };
}
