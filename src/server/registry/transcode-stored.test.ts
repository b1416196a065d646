/** The transcoder compared with the decoder and the encoder of objects, on random values and on mutated bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from '../../apimachinery/protobuf/canonical.fixtures.ts';
import { configMap, event, node, odds, pod } from '../../apimachinery/protobuf/core-facts.fixtures.ts';
import { decodeObject } from '../../apimachinery/protobuf/decode.ts';
import { encodeObject } from '../../apimachinery/protobuf/encode.ts';
import type { StructView } from '../../apimachinery/type-view.ts';
import { decodeUtf8 } from '../../base/bytes.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { encodeStored } from './stored-object.ts';
import { StoredTranscoder } from './transcode-stored.ts';

function stored(view: StructView, value: object): Uint8Array {
  const encoded = encodeObject(view, { kind: 'Thing', apiVersion: 'v1', ...value } as JsonObject);
  if (!encoded.ok) throw new Error(encoded.error.message);
  return encoded.bytes;
}

/** The text by way of an object; undefined if the bytes cannot be decoded. */
function throughObject(view: StructView, bytes: Uint8Array): string | undefined {
  const decoded = decodeObject(bytes, () => view);
  return decoded.ok ? decodeUtf8(encodeStored(decoded.value)) : undefined;
}

const transcoder = new StoredTranscoder();

function transcoded(view: StructView, bytes: Uint8Array): string | undefined {
  const made = transcoder.transcode(bytes, ({ apiVersion, kind }) =>
    apiVersion === 'v1' && kind === 'Thing' ? view : undefined,
  );
  return made && decodeUtf8(made);
}

const VIEWS: readonly (readonly [string, StructView])[] = [
  ['Pod', pod],
  ['ConfigMap', configMap],
  ['Event', event],
  ['Odds', odds],
  ['a type that holds itself', node],
];

describe('the transcoder', () => {
  it('writes what is stored for a decoded object', () => {
    const value = {
      metadata: {
        name: 'a<b>',
        resourceVersion: '5',
        selfLink: '/x',
        labels: { a: 'é', b: '"quoted"\n' },
        creationTimestamp: '2024-01-02T03:04:05Z',
        managedFields: [{ manager: 'm', fieldsV1: { 'f:data': { '.': {}, 'f:k&': {} } } }],
      },
      data: { k: 'v', l: '' },
    };
    const bytes = stored(configMap, value);
    const text = transcoded(configMap, bytes);
    expect(text).toBe(throughObject(configMap, bytes));
    expect(text).toContain('"name":"a\\u003cb\\u003e"');
    expect(text).not.toContain('resourceVersion');
  });

  it('leaves maps to the decoder whose keys JavaScript would sort', () => {
    expect(transcoded(configMap, stored(configMap, { metadata: {}, data: { a: '1', 7: '2' } }))).toBeUndefined();
  });

  it.each(VIEWS)('has the result of the decoder for random values: %s', (_, view) => {
    let made = 0;
    fc.assert(
      fc.property(canonical(view, 0), (value) => {
        const bytes = stored(view, value as object);
        const text = transcoded(view, bytes);
        if (text === undefined) return;
        made++;
        expect(text).toBe(throughObject(view, bytes));
      }),
      { seed: 8, numRuns: 60 },
    );
    if (view.field('metadata') !== undefined) expect(made).toBeGreaterThan(10);
  });

  it('has the result of the decoder, or none, for mutated bytes', () => {
    let made = 0;
    const mutation = fc.record({ at: fc.nat(), byte: fc.nat(255), how: fc.nat(2) });
    fc.assert(
      fc.property(
        fc.nat(VIEWS.length - 1),
        fc.array(mutation, { minLength: 20, maxLength: 20 }),
        fc.gen(),
        (which, mutations, gen) => {
          const view = (VIEWS[which] as (typeof VIEWS)[number])[1];
          const bytes = stored(view, gen(canonical, view, 0) as object);
          for (const { at, byte, how } of mutations) {
            const place = at % (bytes.length + 1);
            const rest = bytes.subarray(Math.min(place + (how === 0 ? 1 : 0), bytes.length));
            const mutated = Uint8Array.of(...bytes.subarray(0, place), ...(how === 2 ? [] : [byte]), ...rest);
            const text = transcoded(view, mutated);
            if (text === undefined) continue;
            made++;
            expect(text).toBe(throughObject(view, mutated));
          }
        },
      ),
      { seed: 9, numRuns: 80 },
    );
    expect(made).toBeGreaterThan(50);
  });
});
