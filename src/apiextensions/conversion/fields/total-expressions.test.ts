/** Random expressions on random objects: an expression without absent reads never fails. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json-value.ts';
import { findAbsentReads } from '../../../cel/check/absent-reads.ts';
import { alwaysSetIn } from './expression-types.ts';
import { compileExpression } from './field-expression.ts';
import { INTEGER, listOf, mapOf, objectOf, TEXT, versionOf } from './fields.fixtures.ts';

const { schema } = versionOf(
  'a',
  objectOf({
    spec: objectOf(
      {
        size: INTEGER,
        must: INTEGER,
        none: { type: 'integer', nullable: true },
        inner: objectOf({ a: INTEGER, b: INTEGER }, 'b'),
        ports: listOf(objectOf({ number: INTEGER, name: TEXT }, 'number')),
        labels: mapOf(TEXT),
      },
      'must',
      'none',
    ),
  }),
);

const OBJECT = fc.record(
  {
    spec: fc.record(
      {
        must: fc.nat(3),
        none: fc.constantFrom(null, 1),
        size: fc.nat(3),
        inner: fc.record({ b: fc.nat(3), a: fc.nat(3) }, { requiredKeys: ['b'] }),
        ports: fc.array(
          fc.record({ number: fc.nat(3), name: fc.constantFrom('x', 'y') }, { requiredKeys: ['number'] }),
          { maxLength: 3 },
        ),
        labels: fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom('x', 'y')),
      },
      { requiredKeys: ['must', 'none'] },
    ),
  },
  { requiredKeys: [] },
);

/** Joins parts to one text. */
function text(...parts: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> {
  return fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((all) => all.join(''));
}

const INT_PATHS = ['must', 'size', 'none', 'inner.a', 'inner.b', 'ports[0].number', 'ports[1].number'].map(
  (path) => `self.spec.${path}`,
);
const OPTIONALS = ['self.?spec.?size', 'self.spec.?size', 'self.?spec.?inner.?a', 'self.?spec.?ports[?0].?number'];
const TESTS = [
  'has(self.spec)',
  ...['size', 'none', 'inner', 'inner.a', 'ports', 'labels'].map((path) => `has(self.spec.${path})`),
  'size(self.spec.ports) > 0',
  'size(self.spec.ports) >= 2',
  'self.spec.ports.size() == 0',
  '"k" in self.spec.labels',
  ...OPTIONALS.map((optional) => `${optional}.hasValue()`),
];

const { bool, int } = fc.letrec<{ bool: string; int: string }>((tie) => {
  const part = { bool: tie('bool'), int: tie('int') };
  return {
    bool: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.constantFrom(...TESTS),
      text('!(', part.bool, ')'),
      text('(', part.bool, ' && ', part.bool, ')'),
      text('(', part.bool, ' || ', part.bool, ')'),
      text('(', part.bool, ' ? ', part.bool, ' : ', part.bool, ')'),
      text(part.int, ' > 1'),
      text('self.spec.ports.exists(p, ', fc.constantFrom('has(p.name) && p.name == "x"', 'p.name == "x"'), ')'),
    ),
    int: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.constantFrom('1', ...INT_PATHS),
      fc.constantFrom(...OPTIONALS).map((optional) => `${optional}.orValue(0)`),
      fc.constantFrom(...OPTIONALS).map((optional) => `${optional}.value()`),
      text('(', part.bool, ' ? ', part.int, ' : ', part.int, ')'),
      text('self.spec.ports.map(p, ', part.bool, ', p.number).size()'),
      text('self.spec.ports.filter(p, has(p.name) && ', part.bool, ').map(q, q.name.size()).size()'),
      fc.constantFrom(
        'size(self.spec.labels.map(k, self.spec.labels[k]))',
        'size(self.spec.labels["k"])',
        'size(self.?spec.?labels.orValue({}))',
        'self.?spec.?inner.optMap(i, i.b + i.?a.orValue(0)).orValue(0)',
        'self.?spec.?inner.optMap(i, i.a).orValue(0)',
      ),
    ),
  };
});

/** Most expressions read the spec, the ports or the labels. */
const GUARDED = text('has(self.spec) && has(self.spec.ports) && has(self.spec.labels) ? ', int, ' : 0');

it('an expression without absent reads never fails', () => {
  if (schema === undefined) throw new Error('no schema');
  const isAlwaysSet = alwaysSetIn(schema);
  let total = 0;
  fc.assert(
    fc.property(fc.oneof(bool, int, GUARDED), fc.array(OBJECT, { minLength: 20, maxLength: 20 }), (source, objects) => {
      const compiled = compileExpression(source, schema, undefined);
      if (!compiled.ok) throw new Error(`${source}: ${compiled.message}`);
      if (findAbsentReads(compiled.checked, isAlwaysSet).length > 0) return;
      total++;
      for (const object of objects) {
        const whole = { apiVersion: 'a/b', kind: 'C', metadata: { name: 'd' }, ...object } as JsonObject;
        expect(() => compiled.evaluate(whole), `${source} on ${JSON.stringify(object)}`).not.toThrow();
      }
    }),
    { numRuns: 300 },
  );
  expect(total).toBeGreaterThan(20);
});
