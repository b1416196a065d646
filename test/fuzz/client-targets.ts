/** The fuzz targets of the client: responses of a server that is not to be trusted. */
import type { Transport } from '../../src/apimachinery/http/transport.ts';
import { isKeelsonError, isTransportError } from '../../src/base/errors.ts';
import { createClient } from '../../src/client/create-client.ts';
import { createDiscovery } from '../../src/client/discovery.ts';
import { splitList } from '../../src/client/list-bytes.ts';
import { readWarnings } from '../../src/client/warnings.ts';
import { ConfigMap } from '../../src/kinds/api/core/v1.ts';
import type { FuzzTarget } from './targets.ts';

const MAP = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"7"},"data":{"k":"v"}}';
const STATUS = '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Conflict","code":409}';
const WORDS = ['{', '}', '[', ']', '"', '\\"', '\n', ',', ':', 'null', '"items":', '"metadata":', '"name":', '"kind":'];

/** Whether the call resolves. Any error but those of the catalogue is a finding. */
async function accepts(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (caught) {
    if (isKeelsonError(caught) && (isTransportError(caught) || 'status' in caught)) return false;
    throw caught;
  }
}

/** Answers every request with the bytes, as a stream in two chunks. */
function answering(bytes: Uint8Array, status = 200): Transport {
  const half = bytes.byteLength >> 1;
  return async () => ({ status, headers: {}, body: chunks([bytes.subarray(0, half), bytes.subarray(half)]) });
}

async function* chunks(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

export const clientTargets: readonly FuzzTarget[] = [
  {
    name: 'client-watch',
    corpus: [
      `{"type":"ADDED","object":${MAP}}\n{"type":"DELETED","object":${MAP}}\n`,
      `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}\n{"type":"ERROR","object":${STATUS}}\n`,
      `{\n "object": ${MAP},\n "type": "MODIFIED"\n}\n`,
    ],
    words: [...WORDS, '"type":"ADDED"', '"object":'],
    stepsPerByte: 400,
    stepsPerInput: 10_000,
    async run(input) {
      const maps = createClient(answering(input), { maxWatchEventBytes: 4096 }).api(ConfigMap, 'n');
      return accepts(
        (async () => {
          for await (const _ of maps.watch());
        })(),
      );
    },
  },
  {
    name: 'client-list',
    corpus: [`{"kind":"ConfigMapList","metadata":{"resourceVersion":"7","continue":""},"items":[${MAP},${MAP}]}`],
    words: WORDS,
    stepsPerByte: 400,
    stepsPerInput: 10_000,
    async run(input) {
      const split = splitList(input);
      const isList = await accepts(createClient(answering(input)).api(ConfigMap, 'n').listPage());
      // The splitter accepts every page that the reader of whole pages accepts.
      if (isList && !split.ok) throw new RangeError(`not split: ${split.message}`);
      return isList;
    },
  },
  {
    name: 'client-status',
    corpus: [
      STATUS,
      STATUS.replace('"code":409', '"details":{"retryAfterSeconds":1,"causes":[]}'),
      '404 page not found',
    ],
    words: [...WORDS, '"details":', '"causes":', '"retryAfterSeconds":'],
    stepsPerInput: 10_000,
    async run(input) {
      await accepts(createClient(answering(input, 409)).api(ConfigMap, 'n').get('a'));
      return true;
    },
  },
  {
    name: 'client-discovery',
    corpus: [
      '{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"a"},"versions":[{"version":"v1","freshness":"Stale","resources":[{"resource":"as","responseKind":{"kind":"A"},"scope":"Namespaced","verbs":["get"],"subresources":[{"subresource":"s"}]}]}]}]}',
      '{"kind":"APIGroupList","groups":[{"name":"a","versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}}],"resources":[{"name":"as/s"},{"name":"as","kind":"A","verbs":["get"]}]}',
    ],
    words: [...WORDS, '"versions":', '"resources":', '"APIVersions"', '"APIGroupList"', '"APIGroupDiscoveryList"'],
    stepsPerByte: 400,
    stepsPerInput: 20_000,
    async run(input) {
      return accepts(createDiscovery(answering(input)).find('as'));
    },
  },
  {
    name: 'client-warnings',
    corpus: ['299 - "one", 299 kube "two \\" three" "date"', '299 - "caf\u00e9"'],
    words: ['299 - "', '"', '\\', ', ', ' '],
    run(input) {
      let count = 0;
      readWarnings({ warning: input.toString('latin1') }, () => {
        count++;
      });
      return count > 0;
    },
  },
];
