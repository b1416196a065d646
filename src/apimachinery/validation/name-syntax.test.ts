import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as names from './name-syntax.ts';

type Check = (text: string) => names.Complaints;

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';

/** Each rule beside the pattern that its message prints, and a limit if it has one. */
const rules: readonly [string, Check, RegExp, number][] = [
  ['dns1123Label', names.checkDns1123Label, new RegExp(`^${LABEL}$`), 63],
  ['dns1123Subdomain', names.checkDns1123Subdomain, new RegExp(`^${LABEL}(\\.${LABEL})*$`), 253],
  [
    'dns1123SubdomainWithUnderscore',
    names.checkDns1123SubdomainWithUnderscore,
    /^_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*$/,
    253,
  ],
  ['dns1123SubdomainCaseless', names.checkDns1123SubdomainCaseless, new RegExp(`^${LABEL}(\\.${LABEL})*$`, 'iu'), 253],
  ['wildcard', names.checkWildcardDns1123Subdomain, new RegExp(`^\\*\\.${LABEL}(\\.${LABEL})*$`), 253],
  ['dns1035Label', names.checkDns1035Label, /^[a-z]([-a-z0-9]*[a-z0-9])?$/, 63],
  ['cIdentifier', names.checkCIdentifier, /^[A-Za-z_][A-Za-z0-9_]*$/, Number.POSITIVE_INFINITY],
  ['envVarName', names.checkEnvVarName, /^(?!\.\.)(?!\.$)[-._a-zA-Z][-._a-zA-Z0-9]*$/, Number.POSITIVE_INFINITY],
  ['configMapKey', names.checkConfigMapKey, /^(?!\.\.)(?!\.$)[-._a-zA-Z0-9]+$/, 253],
  ['portName', names.checkPortName, /^(?!-)(?!.*--)(?!.*-$)(?=.*[a-z])[-a-z0-9]+$/, 15],
  ['percent', names.checkPercent, /^[0-9]+%$/, Number.POSITIVE_INFINITY],
  ['httpHeaderName', names.checkHttpHeaderName, /^[-A-Za-z0-9]+$/, Number.POSITIVE_INFINITY],
];

const text = fc.string({
  unit: fc.constantFrom(...'abz019AZ-_.*%/ é\u017f\u212a'),
  maxLength: 8,
});

describe('rules of names', () => {
  it.each(rules)('%s accepts exactly what its pattern describes', (_name, check, pattern, max) => {
    fc.assert(
      fc.property(text, (candidate) => {
        expect(check(candidate).length === 0).toBe(pattern.test(candidate) && candidate.length <= max);
      }),
      { seed: 3, numRuns: 500 },
    );
  });

  it.each(rules.filter(([, , , max]) => Number.isFinite(max)))(
    '%s counts bytes up to its limit',
    (name, check, _p, max) => {
      const start = name === 'wildcard' ? '*.' : '';
      expect(check(start + 'a'.repeat(max - start.length))).toEqual([]);
      expect(check(`${start + 'a'.repeat(max - start.length)}a`)).toHaveLength(1);
      expect(check('é'.repeat(Math.floor(max / 2) + 1))[0]).toMatch(/^must be no more than \d+ (characters|bytes)$/);
    },
  );

  it.each(rules)('%s refuses long hostile text before the test times out', (_name, check) => {
    for (const part of ['a', 'a-', 'a.', '-', '.', '_']) expect(check(`${part.repeat(200_000)}!`)).not.toEqual([]);
  });

  it('explains a label with examples and the pattern', () => {
    expect(names.checkDns1123Label('A')).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
  });

  it('distinguishes a label with dots from a malformed one', () => {
    expect(names.checkDns1123Label('a.b')).toEqual(['must not contain dots']);
    expect(names.checkDns1123Label(`${'a'.repeat(63)}.b`)).toEqual([
      'must be no more than 63 characters',
      'must not contain dots',
    ]);
  });

  it('refuses path segments that change the meaning of a URL', () => {
    expect(names.checkPathSegmentName('..')).toEqual(["may not be '..'"]);
    expect(names.checkPathSegmentName('a/b%c')).toEqual(["may not contain '/'", "may not contain '%'"]);
    expect(names.checkPathSegmentName('system:node')).toEqual([]);
    expect(names.checkPathSegmentPrefix('..')).toEqual([]);
  });

  it('lists all that is wrong with the name of a port', () => {
    expect(names.checkPortName('-0--1-')).toEqual([
      'must contain at least one letter (a-z)',
      'must not contain consecutive hyphens',
      'must not begin or end with a hyphen',
    ]);
  });

  it('accepts any printable ASCII but = in a relaxed variable name', () => {
    expect(names.checkRelaxedEnvVarName('a b:c')).toEqual([]);
    expect(names.checkRelaxedEnvVarName('')).toEqual(['environment variable name must be non-empty']);
    for (const bad of ['a=b', 'é', '\u007f', '\n'])
      expect(names.checkRelaxedEnvVarName(bad), JSON.stringify(bad)).toHaveLength(1);
  });

  it('knows the range of ports', () => {
    expect([0, 1, 65535, 65536].map((port) => names.checkPortNumber(port).length)).toEqual([1, 0, 0, 1]);
    expect(names.checkPortNumber(0)).toEqual(['must be between 1 and 65535, inclusive']);
  });

  it('forbids keys that would name a parent folder', () => {
    expect(names.checkConfigMapKey('..')).toEqual(["must not be '..'"]);
    expect(names.checkConfigMapKey('..a')).toEqual(["must not start with '..'"]);
    expect(names.checkConfigMapKey('.a')).toEqual([]);
  });
});
