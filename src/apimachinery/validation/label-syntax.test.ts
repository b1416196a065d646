import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatIssue } from './field-issue.ts';
import { FieldPath } from './field-path.ts';
import * as syntax from './label-syntax.ts';

const path = FieldPath.of('p');
const NAME =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe('checkQualifiedName', () => {
  it.each(['a', 'MyName', 'a.b_c-d', 'example.com/a', `${'p'.repeat(253)}/${'n'.repeat(63)}`])('accepts %s', (name) => {
    expect(syntax.checkQualifiedName(name)).toEqual([]);
  });

  it.each([
    ['', ['name part must be non-empty', `name part ${NAME}`]],
    ['-a', [`name part ${NAME}`]],
    ['n'.repeat(64), ['name part must be no more than 63 bytes']],
    ['/a', ['prefix part must be non-empty']],
    ['a/', ['name part must be non-empty', `name part ${NAME}`]],
    [`${'p'.repeat(254)}/a`, ['prefix part must be no more than 253 bytes']],
    ['a/b/c', [`a valid label key ${NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]],
  ])('says what is wrong with %j', (name, complaints) => {
    expect(syntax.checkQualifiedName(name)).toEqual(complaints);
  });

  it('accepts exactly what the pattern describes', () => {
    const text = fc.string({ unit: fc.constantFrom(...'aB1-_./é'), maxLength: 7 });
    const pattern =
      /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
    fc.assert(
      fc.property(text, (name) => {
        expect(syntax.checkQualifiedName(name).length === 0).toBe(pattern.test(name));
      }),
      { seed: 4, numRuns: 500 },
    );
  });
});

describe('labels', () => {
  it('lets a value be empty and 63 bytes long', () => {
    expect(syntax.checkLabelValue('')).toEqual([]);
    expect(syntax.checkLabelValue('v'.repeat(63))).toEqual([]);
    expect(syntax.checkLabelValue('v'.repeat(64))).toEqual(['must be no more than 63 bytes']);
    expect(syntax.checkLabelValue('a b')[0]).toContain('a valid label must be an empty string or consist of');
  });

  it('reports keys and values at the path of the map', () => {
    const texts = syntax.validateLabels({ ok: 'v', '-': '+' }, path).map(formatIssue);
    expect(texts).toHaveLength(2);
    expect(texts[0]).toContain('p: Invalid value: "-": name part must consist');
    expect(texts[1]).toContain('p: Invalid value: "+": a valid label must be');
    expect(syntax.validateLabels(undefined, path)).toEqual([]);
  });
});

describe('domain names', () => {
  const texts = (
    validate: (name: string, path: FieldPath) => readonly Parameters<typeof formatIssue>[0][],
    name: string,
  ) => validate(name, path).map(formatIssue);

  it('want three parts of a fully qualified name', () => {
    expect(texts(syntax.validateFullyQualifiedName, 'a.b.c')).toEqual([]);
    expect(texts(syntax.validateFullyQualifiedName, '')).toEqual(['p: Required value']);
    expect(texts(syntax.validateFullyQualifiedName, 'a.b')).toEqual([
      'p: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
    ]);
  });

  it('let one dot end a domain name of two labels', () => {
    expect(texts(syntax.validateFullyQualifiedDomainName, 'a.b.')).toEqual([]);
    expect(texts(syntax.validateFullyQualifiedDomainName, 'a.')).toEqual([
      'p: Invalid value: "a": should be a domain with at least two segments separated by dots',
    ]);
    expect(texts(syntax.validateFullyQualifiedDomainName, `${'a'.repeat(64)}.b`)).toEqual([
      `p: Invalid value: "${'a'.repeat(64)}": must be no more than 63 characters`,
    ]);
  });

  it('check both sides of a domain-prefixed path', () => {
    expect(texts(syntax.validateDomainPrefixedPath, 'acme.io/foo/bar')).toEqual([]);
    expect(texts(syntax.validateDomainPrefixedPath, 'acme.io/')).toEqual([
      'p: Invalid value: "acme.io/": must be a domain-prefixed path (such as "acme.io/foo")',
    ]);
    expect(texts(syntax.validateDomainPrefixedPath, 'A/[')).toHaveLength(2);
  });

  it('ask for the prefix of a domain-prefixed key', () => {
    expect(texts(syntax.validateDomainPrefixedKey, 'acme.io/foo')).toEqual([]);
    expect(texts(syntax.validateDomainPrefixedKey, 'foo')).toEqual([
      'p: Invalid value: "foo": must be a domain-prefixed key (such as "acme.io/foo")',
    ]);
  });
});
