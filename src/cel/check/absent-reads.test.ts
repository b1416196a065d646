import { describe, expect, it } from 'vitest';
import { createEnvironment } from '../create-environment.ts';
import { KUBERNETES_LIBRARIES } from '../libraries/kubernetes.ts';
import { type CelType, INT, listOf, mapOf, type ObjectType, STRING } from '../types.ts';
import { findAbsentReads } from './absent-reads.ts';

function object(name: string, fields: Readonly<Record<string, CelType>>): ObjectType {
  const byName = new Map(Object.entries(fields));
  return { kind: 'object', name, field: (field) => byName.get(field), fieldNames: () => byName.keys() };
}

const PORT = object('port', { number: INT, name: STRING });
const SPEC = object('spec', {
  size: INT,
  title: STRING,
  must: INT,
  ports: listOf(PORT),
  labels: mapOf(STRING, STRING),
  inner: object('inner', { a: INT, b: INT }),
});
const SELF = object('self', { spec: SPEC, status: object('status', { ready: INT }) });
/** The fields that are always set. */
const SET = ['self.spec', 'spec.must', 'spec.ports', 'spec.labels', 'port.number'];

const environment = createEnvironment({ libraries: KUBERNETES_LIBRARIES, variables: [{ name: 'self', type: SELF }] });

function absent(source: string): readonly string[] {
  const result = environment.check(source);
  if (!result.ok) throw new Error(result.issues.map(({ message }) => message).join('; '));
  const issues = findAbsentReads(result.checked, ({ name }, field) => SET.includes(`${name}.${field}`));
  return issues.map(({ message }) => message);
}

describe('reads that cannot fail', () => {
  it.each([
    'self.spec.must * 2',
    'has(self.spec.size) ? self.spec.size * 2 : 0',
    '!has(self.spec.size) ? 0 : self.spec.size',
    'has(self.spec.size) && self.spec.size > 0',
    '!has(self.spec.size) || self.spec.size > 0',
    'has(self.spec.size) && has(self.spec.title) ? self.spec.title + string(self.spec.size) : ""',
    'has(self.spec.inner) && has(self.spec.inner.a) ? self.spec.inner.a : 0',
    '(has(self.spec.size) || has(self.spec.title)) && has(self.spec.size) ? self.spec.size : 0',
    '(has(self.spec.size) ? self.spec.size > 0 : false) ? self.spec.size : 0',
    'self.spec.?size.orValue(0)',
    'self.?status.?ready',
    'self.?status.ready.orValue(1)',
    'self.spec.?inner.optMap(i, i.?a.orValue(1))',
    'self.spec.?size.optMap(s, s * 2)',
    'self.?status.?ready.hasValue() ? self.status.ready : 0',
    'self.spec.?size.hasValue() ? self.spec.?size.value() : 0',
    '"a" in self.spec.labels ? self.spec.labels["a"] : ""',
    '"a" in self.spec.labels ? self.spec.labels.a : ""',
    'has(self.spec.labels.a) ? self.spec.labels["a"] : ""',
    'self.spec.labels[?"a"].orValue("")',
    'self.spec.labels.map(k, self.spec.labels[k])',
    'self.spec.labels.all(k, v, v == self.spec.labels[k])',
    'self.spec.ports.map(p, p.number)',
    'self.spec.ports.map(p, p.?name.orValue(""))',
    'self.spec.ports.map(p, has(p.name), p.name)',
    'self.spec.ports.filter(p, has(p.name)).map(q, q.name)',
    'self.spec.ports.exists(p, has(p.name) && p.name == "a")',
    'self.spec.ports.all(p, !has(p.name) || p.name != "")',
    'size(self.spec.ports) > 1 ? self.spec.ports[1].number : 0',
    'self.spec.ports.size() == 0 ? 0 : self.spec.ports[0].number',
    '0 < size(self.spec.ports) ? self.spec.ports[0].number : 0',
    'self.spec.ports[?0].?number.orValue(0)',
    'self.spec.ports.first().optMap(p, p.number).orValue(0)',
    'optional.of(1).value()',
    'type(self.spec.must) == int',
  ])('%s', (source) => {
    expect(absent(source)).toEqual([]);
  });
});

describe('reads that may fail', () => {
  it.each([
    ['self.spec.size * 2', ['self.spec.size may be absent: write self.spec.?size, or test has(self.spec.size) before']],
    ['self.spec.size + self.spec.size', [expect.stringMatching(/^self.spec.size may be absent/)]],
    ['self.status.ready', ['self.status', 'self.status.ready'].map((path) => expect.stringMatching(`^${path} may be`))],
    ['has(self.status.ready)', [expect.stringMatching(/^self.status may be absent/)]],
    ['has(self.spec.title) ? self.spec.size : 0', [expect.stringMatching(/^self.spec.size may/)]],
    ['has(self.spec.size) ? 0 : self.spec.size', [expect.stringMatching(/^self.spec.size may/)]],
    ['self.spec.size > 0 && has(self.spec.size)', [expect.stringMatching(/^self.spec.size may/)]],
    ['has(self.spec.size) || self.spec.size > 0', [expect.stringMatching(/^self.spec.size may/)]],
    [
      'has(self.spec.size) || has(self.spec.title) ? self.spec.size : 0',
      [expect.stringMatching(/^self.spec.size may/)],
    ],
    ['self.spec.ports.map(p, p.name)', ['p.name may be absent: write p.?name, or test has(p.name) before']],
    [
      'self.spec.ports.filter(p, has(p.name)).map(q, q.number) == [] ? self.spec.ports.map(p, p.name) : []',
      [/^p.name/],
    ],
    ['self.spec.ports.exists(p, has(p.name)) ? self.spec.ports.map(p, p.name) : []', [/^p.name may be absent/]],
    ['self.spec.labels["a"]', [/^the key may be absent from self.spec.labels/]],
    ['self.spec.labels.a', [/^self.spec.labels.a may be absent/]],
    ['"b" in self.spec.labels ? self.spec.labels["a"] : ""', [/^the key may be absent/]],
    ['self.spec.ports[0].number', [/^the item may be absent from self.spec.ports/]],
    ['size(self.spec.ports) > 0 ? self.spec.ports[1].number : 0', [/^the item may be absent/]],
    ['self.spec.?size.value()', [/^the optional may be empty/]],
    ['self.spec.ports.map(p, has(p.name)).size() > 0 ? self.spec.?title.value() : ""', [/^the optional may be empty/]],
    ['dyn(self.spec).size', [/^the field size may be absent/]],
  ])('%s', (source, expected) => {
    expect(absent(source)).toEqual(
      expected.map((text) => (text instanceof RegExp ? expect.stringMatching(text) : text)),
    );
  });
});
