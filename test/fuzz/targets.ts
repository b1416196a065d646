/** The fuzz targets: every decoder of user input, each with a corpus of valid inputs and words of its language. */
import { encodeCbor } from '../../src/apimachinery/codec/cbor/cbor.ts';
import { decodeCbor } from '../../src/apimachinery/codec/cbor/cbor-decode.ts';
import { JsonFrameDecoder, LengthDelimitedDecoder } from '../../src/apimachinery/codec/framing.ts';
import { JsonLineDecoder } from '../../src/apimachinery/codec/line-framing.ts';
import { negotiateAccept, negotiateContentType } from '../../src/apimachinery/codec/negotiation.ts';
import { decodeStrictJson } from '../../src/apimachinery/codec/strict.ts';
import { readYaml } from '../../src/apimachinery/codec/yaml/yaml.ts';
import { splitYamlDocuments } from '../../src/apimachinery/codec/yaml/yaml-documents.ts';
import { decodeDeleteBody, readDeleteOptions } from '../../src/apimachinery/meta/delete-options.ts';
import { readListOptions } from '../../src/apimachinery/meta/list-options.ts';
import { parseQuery } from '../../src/apimachinery/meta/query.ts';
import { readCreateOptions, readGetOptions, readPatchOptions } from '../../src/apimachinery/meta/write-options.ts';
import { applyJsonPatch } from '../../src/apimachinery/patch/json-patch.ts';
import { podView } from '../../src/apimachinery/patch/strategic-merge.fixtures.ts';
import { applyStrategicMergePatch } from '../../src/apimachinery/patch/strategic-merge.ts';
import { pod } from '../../src/apimachinery/protobuf/core-facts.fixtures.ts';
import { decodeMessage, decodeObject } from '../../src/apimachinery/protobuf/decode.ts';
import { encodeMessage, encodeObject } from '../../src/apimachinery/protobuf/encode.ts';
import { formatQuantity } from '../../src/apimachinery/scalars/quantity.ts';
import { parseQuantity } from '../../src/apimachinery/scalars/quantity-parse.ts';
import {
  compileFieldSelector,
  formatFieldSelector,
  parseFieldSelector,
} from '../../src/apimachinery/selectors/field-selector.ts';
import { formatLabelSelector, matchesLabels } from '../../src/apimachinery/selectors/label-selector.ts';
import { parseLabelSelector } from '../../src/apimachinery/selectors/label-selector-parse.ts';
import { readJson } from '../../src/base/json-read.ts';
import { equalJson, type JsonObject } from '../../src/base/json-value.ts';
import { writeJson } from '../../src/base/json-write.ts';
import type { MaybePromise } from '../../src/base/maybe-promise.ts';

export interface FuzzTarget {
  readonly name: string;
  /** Valid inputs: the target accepts each. */
  readonly corpus: readonly (string | Uint8Array)[];
  readonly words: readonly (string | Uint8Array)[];
  /** The limit of counted blocks per input byte. Default 150. Targets that compile and run programs need more. */
  readonly stepsPerByte?: number;
  /** The limit of counted blocks per input, in addition. Default 5000. */
  readonly stepsPerInput?: number;
  /** The share of the inputs that the target gets, for slow targets. Default 1. */
  readonly inputs?: number;
  /** Returns whether the input was accepted. Any exception is a finding. */
  run(input: Buffer): MaybePromise<boolean>;
}

const POD: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web',
    labels: { app: 'web', 'example.com/tier': 'front' },
    generation: 9007199254740993n,
    creationTimestamp: '2024-02-29T12:00:00Z',
  },
  spec: { containers: [{ name: 'a', image: 'nginx', resources: { limits: { cpu: '100m', memory: '1Gi' } } }] },
};

const POD_YAML = `apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations: {a: "1", b: 'two', c: &x three, d: *x}
spec:
  containers:
  - name: a
    args: [yes, No, ~, 0x1F, 017, 1_000, 1.5e3, 2001-01-01]
    command:
    - |
      set -e
      echo "hello"
    - >-
      folded
      text
`;

function encoded(): Uint8Array[] {
  const message = encodeMessage(pod, POD);
  const object = encodeObject(pod, POD);
  if (!message.ok || !object.ok) throw new Error('the corpus of the protobuf target does not encode');
  return [message.bytes, object.bytes];
}

const [message, enveloped] = encoded();

export const targets: readonly FuzzTarget[] = [
  {
    name: 'json',
    corpus: [
      writeJson(POD),
      '[1,-0,1.5e300,9223372036854775807,-9223372036854775808,12345678901234567890]',
      '{"a":{"b":[{"a":1,"a":2}]},"\\u0061":"\\ud83d\\udea2","__proto__":{"x":null}}',
      '"\\b\\f\\n\\r\\t\\/"',
    ],
    words: [
      '"',
      '\\u0000',
      '\\ud800',
      '{"a":',
      '[[',
      ']',
      '}',
      ',',
      '1e999',
      '12345678901234567890',
      'null',
      'true',
      '\ufeff',
      '{"a":1,"a":2}',
      Buffer.from([0xff, 0xfe]),
    ],
    run(input) {
      const result = readJson(input, { duplicates: 'report' });
      if (!result.ok) return false;
      // The value can be written and read again with the same result.
      const text = writeJson(result.value);
      const again = readJson(text);
      if (!again.ok || writeJson(again.value) !== text) throw new Error(`not stable: ${text.slice(0, 200)}`);
      return true;
    },
  },
  {
    name: 'yaml',
    corpus: [
      POD_YAML,
      'a: 1\n---\nb: 2\n',
      '{"json": [1, 2, {"x": null}]}',
      '? [a]\n: b\n'.replace('[a]', 'a'),
      '- - - a\n  - b\n- !!str 1\n',
    ],
    words: [
      '&a ',
      '*a',
      '<<: ',
      '!!binary ',
      '- ',
      ': ',
      '? ',
      '|\n',
      '>\n',
      '{',
      '}',
      '[',
      ']',
      '---\n',
      '...\n',
      '#',
      '\t',
      '%YAML 1.1\n',
      '"',
      "'",
      '\n',
      '&a [*a,*a]',
      '~',
      'yes',
    ],
    run(input) {
      const documents = splitYamlDocuments(input.toString('utf8'));
      const texts = documents.ok ? documents.documents : [input.toString('utf8')];
      let accepted = documents.ok;
      for (const text of texts) accepted = readYaml(text).ok && accepted;
      return accepted;
    },
  },
  {
    name: 'label-selector',
    corpus: ['app=web,tier!=back', 'app in (a,b),env notin (x, y),!old,new', 'example.com/role==x,n>3,m<9', ''],
    words: ['in', 'notin', '(', ')', ',', '=', '==', '!=', '!', '>', '<', '/', ' ', 'a', 'é'],
    run(input) {
      const result = parseLabelSelector(input.toString('utf8'));
      if (!result.ok) return false;
      matchesLabels(result.selector, () => 'web');
      const again = parseLabelSelector(formatLabelSelector(result.selector));
      if (!again.ok) throw new Error(`the printed form does not parse: ${again.message}`);
      return true;
    },
  },
  {
    name: 'field-selector',
    corpus: ['metadata.name=web,spec.nodeName!=a', 'a==b\\,c\\=d\\\\', ''],
    words: ['=', '==', '!=', ',', '\\', '\\\\', '\\,', 'metadata.name', '!'],
    run(input) {
      const result = parseFieldSelector(input.toString('utf8'));
      if (!result.ok) return false;
      compileFieldSelector(result.selector)(() => 'web');
      if (!parseFieldSelector(formatFieldSelector(result.selector)).ok)
        throw new Error('the printed form does not parse');
      return true;
    },
  },
  {
    name: 'query',
    corpus: [
      'labelSelector=app%3Dweb&limit=500&continue=abc&resourceVersion=10&resourceVersionMatch=NotOlderThan',
      'watch=true&allowWatchBookmarks=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=30',
      'dryRun=All&fieldManager=kubectl&fieldValidation=Strict&force=true&pretty=',
      'propagationPolicy=Foreground&gracePeriodSeconds=0&orphanDependents=',
    ],
    words: [
      '&',
      '=',
      '%',
      '%2',
      '%zz',
      '+',
      ';',
      'limit=',
      'dryRun=',
      '-1',
      '99999999999999999999',
      'true',
      'watch',
      '%00',
      '%ff',
    ],
    run(input) {
      const params = parseQuery(input.toString('utf8'));
      readGetOptions(params);
      const results = [
        readListOptions(params),
        readCreateOptions(params),
        readPatchOptions(params, true),
        readDeleteOptions(params, undefined),
      ];
      return results.some((result) => result.ok);
    },
  },
  {
    name: 'delete-options',
    corpus: [
      '{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"propagationPolicy":"Orphan","preconditions":{"uid":"a","resourceVersion":"1"},"dryRun":["All"]}',
      '{}',
    ],
    words: ['null', '[]', '{}', '"', '1e3', '-1', '"uid":', 'true', '9223372036854775808'],
    run(input) {
      const body = readJson(input);
      return body.ok && decodeDeleteBody(body.value).ok;
    },
  },
  {
    name: 'quantity',
    corpus: ['1', '100m', '1.5Gi', '-2e3', '12E', '0.000000001', '1e-9', '999999999999999999999Ki'],
    words: [
      'e',
      'E',
      'i',
      'K',
      '.',
      '-',
      '+',
      '0',
      '9',
      'e999999999',
      'E-99999',
      'n',
      '00000000000000000000000000000000',
    ],
    run(input) {
      const result = parseQuantity(input.toString('utf8'));
      if (!result.ok) return false;
      const text = formatQuantity(result.value);
      const again = parseQuantity(text);
      if (!again.ok || formatQuantity(again.value) !== text) throw new Error(`${text} is not canonical`);
      return true;
    },
  },
  {
    name: 'protobuf',
    corpus: [message as Uint8Array],
    words: [
      Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
      Buffer.from([0x0a, 0x00]),
      Buffer.from([0x80, 0x80, 0x80]),
      Buffer.from([0x0b]),
      Buffer.from([0x0c]),
      Buffer.from([0x12, 0x7f]),
    ],
    run: (input) => decodeMessage(pod, input).ok,
  },
  {
    name: 'protobuf-envelope',
    corpus: [enveloped as Uint8Array],
    words: [
      'k8s\0',
      Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
      Buffer.from([0x12, 0x00]),
      Buffer.from([0x1a, 0x01, 0x78]),
      'v1',
      'Pod',
    ],
    run: (input) => decodeObject(input, (type) => (type.kind === 'Pod' ? pod : undefined)).ok,
  },
  {
    name: 'cbor',
    corpus: [encodeCbor(POD), encodeCbor([1, -1, 1.5, 9007199254740993n, null, true, 'é'])],
    words: [
      Buffer.from([0xd9, 0xd9, 0xf7]),
      Buffer.from([0x5f]),
      Buffer.from([0xff]),
      Buffer.from([0x9b, 0xff, 0xff, 0xff, 0xff]),
      Buffer.from([0xa1, 0x41, 0x61]),
      Buffer.from([0xfb]),
      Buffer.from([0xc2]),
      Buffer.from([0x81]),
    ],
    run(input) {
      const result = decodeCbor(input);
      if (!result.ok) return false;
      const again = decodeCbor(encodeCbor(result.value));
      if (!again.ok || !equalJson(again.value, result.value)) throw new Error('not stable');
      return true;
    },
  },
  {
    name: 'strict-json',
    corpus: [writeJson({ kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image: 'b' }] } })],
    words: ['"unknown":1,', '"metadata":{},', '"spec":[],', '{"a":1,"a":2}', 'null', '[', '}'],
    run: (input) => decodeStrictJson(input, { fieldValidation: 'Strict', view: pod }).ok,
  },
  {
    name: 'media-types',
    corpus: [
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
      'application/vnd.kubernetes.protobuf;q=0.5, */*;q=0.1',
      'application/yaml',
    ],
    words: [';', ',', '=', 'q=', '*/*', '"', '\\', ' ', 'as=Table', 'application/', '0.', 'charset=utf-8'],
    run(input) {
      const supported = ['application/json', 'application/yaml'].map((mediaType) => ({
        mediaType,
        streamMediaType: undefined,
      }));
      const header = input.toString('latin1');
      const accepted = negotiateAccept(header, { supported, allowsTransform: () => true }).ok;
      negotiateContentType(header, supported);
      return accepted;
    },
  },
  {
    name: 'json-patch',
    corpus: [
      '[{"op":"add","path":"/a/-","value":1},{"op":"test","path":"/b","value":{"c":2}},{"op":"move","from":"/b/c","path":"/a/0"}]',
    ],
    words: ['"op":"remove"', '/-1', '~1', '~', '/99999999999', '"path":""', '"copy"', '{}', '[]', 'null'],
    run(input) {
      const patch = readJson(input);
      return patch.ok && applyJsonPatch({ a: [0], b: { c: 2 } }, patch.value).ok;
    },
  },
  {
    name: 'strategic-merge-patch',
    corpus: [
      '{"spec":{"containers":[{"name":"a","image":"x"},{"name":"b","$patch":"delete"}],"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}}',
      '{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"labels":{"a":null}}}',
    ],
    words: [
      '"$patch":"replace"',
      '"$patch":"delete"',
      '"$retainKeys":["name"]',
      '"$setElementOrder/',
      '"$deleteFromPrimitiveList/',
      '{}',
      '[]',
      'null',
      '"name":1',
    ],
    run(input) {
      const patch = readJson(input);
      const target = {
        metadata: { finalizers: ['a'], labels: { a: 'b' } },
        spec: { containers: [{ name: 'b', image: 'y' }] },
      };
      return patch.ok && applyStrategicMergePatch(target, patch.value, podView).ok;
    },
  },
  {
    name: 'frames',
    corpus: ['{"type":"ADDED","object":{}}\n{"type":"BOOKMARK"}\n', Buffer.from([0, 0, 0, 2, 1, 2, 0, 0, 0, 1, 9])],
    words: ['{', '}', '"', '\\"', '\n', Buffer.from([0, 0, 0, 0]), Buffer.from([0xff, 0xff, 0xff, 0xff])],
    run(input) {
      // In two pieces, so that a frame crosses the border.
      const decoders = [
        new JsonFrameDecoder({ maxFrameBytes: 4096 }),
        new JsonLineDecoder({ maxFrameBytes: 4096 }),
        new LengthDelimitedDecoder({ maxFrameBytes: 4096 }),
      ];
      const half = input.length >> 1;
      return decoders.some(
        (decoder) =>
          decoder.push(input.subarray(0, half)).ok && decoder.push(input.subarray(half)).ok && decoder.end().ok,
      );
    },
  },
];
