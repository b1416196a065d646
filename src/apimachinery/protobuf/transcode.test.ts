/** Round trips of random values, and bytes that something happened to. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StructView } from '../type-view.ts';
import { canonical } from './canonical.fixtures.ts';
import { configMap, decoded, encoded, event, node, odds, pod, schema } from './core-facts.fixtures.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';

describe('a round trip', () => {
  it('keeps types whose JSON form is not that of their fields', () => {
    const value = {
      type: 'object',
      items: [{ type: 'string' }, {}],
      properties: { a: { items: { items: {} } } },
      dependencies: { b: ['c'], d: { type: 'x' }, e: null },
    };
    expect(decoded(schema, encoded(schema, value))).toEqual(value);
    expect(encodeMessage(schema, { items: 5 })).toMatchObject({
      ok: false,
      error: { message: 'has none of the forms of its type' },
    });
  });

  it.each<[string, StructView, number]>([
    ['Pod', pod, 120],
    ['ConfigMap', configMap, 60],
    ['Event', event, 60],
    ['Odds', odds, 120],
    ['a type that holds itself', node, 60],
  ])('of %s through bytes changes nothing', (_, view, numRuns) => {
    fc.assert(
      fc.property(canonical(view, 0), (value) => {
        expect(decoded(view, encoded(view, value))).toEqual(value);
      }),
      { seed: 6, numRuns },
    );
  });
});

describe('mutated bytes', () => {
  it('give a value or an error with an offset inside them, and never throw', () => {
    const seen = { ok: 0, failed: 0 };
    const views = [pod, configMap, event, odds, node];
    const mutation = fc.record({ at: fc.nat(), byte: fc.nat(255), how: fc.nat(2) });
    fc.assert(
      fc.property(
        fc.nat(views.length - 1),
        fc.array(fc.tuple(fc.nat(), mutation), { minLength: 10, maxLength: 10 }),
        fc.gen(),
        (which, all, gen) => {
          const view = views[which] as StructView;
          const bytes = encoded(view, gen(canonical, view, 0));
          for (const [, { at, byte, how }] of all) {
            const place = at % (bytes.length + 1);
            const rest = bytes.subarray(Math.min(place + (how === 0 ? 1 : 0), bytes.length));
            const mutated = Uint8Array.of(...bytes.subarray(0, place), ...(how === 2 ? [] : [byte]), ...rest);
            const result = decodeMessage(view, mutated);
            if (result.ok) seen.ok++;
            else {
              seen.failed++;
              expect(result.error.offset).toBeGreaterThanOrEqual(0);
              expect(result.error.offset).toBeLessThanOrEqual(mutated.length);
            }
          }
        },
      ),
      { seed: 7, numRuns: 100 },
    );
    expect(seen.ok).toBeGreaterThan(50);
    expect(seen.failed).toBeGreaterThan(50);
  });
});
