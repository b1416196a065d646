import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import { nodeLabelSelectorWarnings, nodeSelectorTermWarnings, validateNodeSelector } from './node-selector.ts';
import { checkTrustBundleName, signerOfTrustBundle, validateSignerName } from './signer-name.ts';

const PATH = FieldPath.of('s');

describe('a node selector', () => {
  const term = {
    matchExpressions: [
      { key: 'beta.kubernetes.io/os', operator: 'In', values: ['a b'] },
      { key: 'a', operator: 'Gt' },
      { key: 'x', operator: 'Exists', values: ['y'] },
      { key: 'y', operator: 'Foo' },
      { key: 'z', operator: 'NotIn' },
    ],
    matchFields: [
      { key: 'metadata.name', operator: 'In', values: ['a', 'A_'] },
      { key: 'x', operator: 'Exists' },
    ],
  };

  test('is validated as in kube-apiserver', () => {
    expect(validateNodeSelector({}, PATH).map(formatIssue)).toEqual([
      's.nodeSelectorTerms: Required value: must have at least one node selector term',
    ]);
    const issues = validateNodeSelector({ nodeSelectorTerms: [term] }, PATH).map(formatIssue);
    expect(issues.map((issue) => issue.replace('s.nodeSelectorTerms[0].', '').slice(0, 91))).toEqual([
      'matchExpressions[0].values[0]: Invalid value: "a b": a valid label must be an empty string ',
      'matchExpressions[1].values: Required value: must be specified single value when `operator` ',
      "matchExpressions[2].values: Forbidden: may not be specified when `operator` is 'Exists' or ",
      'matchExpressions[3].operator: Invalid value: "Foo": not a valid selector operator',
      "matchExpressions[4].values: Required value: must be specified when `operator` is 'In' or 'N",
      "matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'N",
      'matchFields[0].values[1]: Invalid value: "A_": a lowercase RFC 1123 subdomain must consist ',
      'matchFields[1].operator: Invalid value: "Exists": not a valid selector operator',
      'matchFields[1].key: Invalid value: "x": not a valid field selector key',
    ]);
  });

  test('may have values that are not label values with an option', () => {
    expect(validateNodeSelector({ nodeSelectorTerms: [term] }, PATH, true)).toHaveLength(8);
  });

  test('has warnings about deprecated labels', () => {
    const message = 'deprecated since v1.14; use "kubernetes.io/os" instead';
    expect(nodeSelectorTermWarnings(term, PATH)).toEqual([
      `s.matchExpressions[0].key: beta.kubernetes.io/os is ${message}`,
    ]);
    expect(nodeLabelSelectorWarnings({ matchLabels: { 'beta.kubernetes.io/os': 'x' } }, PATH)).toEqual([
      `s.matchLabels.beta.kubernetes.io/os: ${message}`,
    ]);
  });
});

describe('a signer name', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['example.com/a.b', []],
    ['', ['s: Required value']],
    [
      'a/b/c',
      ['s: Invalid value: "a/b/c": must be a fully qualified domain and path of the form \'example.com/signer-name\''],
    ],
    ['com/a', ['s: Invalid value: "com": should be a domain with at least two segments separated by dots']],
  ];
  test.each(cases)('%j', (name, issues) => {
    expect(validateSignerName(name, PATH).map(formatIssue)).toEqual(issues);
  });

  test('is the prefix of the names of its ClusterTrustBundles', () => {
    expect(signerOfTrustBundle('example.com:a:b')).toBe('example.com/a');
    expect(checkTrustBundleName('example.com:a:b', 'example.com/a')).toEqual([]);
    expect(checkTrustBundleName('b', 'example.com/a')).toEqual([
      'ClusterTrustBundle for signerName example.com/a must be named with prefix example.com:a:',
    ]);
    expect(checkTrustBundleName('a:b', '')).toEqual([
      'ClusterTrustBundle without signer name must not have ":" in its name',
    ]);
  });
});
