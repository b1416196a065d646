import { describe, expect, test } from 'vitest';
import { formatIssue } from '../../../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { builtInVersion } from '../../../../shared/built-in.ts';
import { setPodTemplateDefaults, validatePodTemplateSpec } from '../pod-template-spec.ts';
import { FAULTY_SPECS } from './faulty-specs.fixtures.ts';

const POD_TEMPLATE = builtInVersion({ group: '', version: 'v1', kind: 'PodTemplate' });
const TEMPLATE = FieldPath.of('template');

/** The template after decoding and defaulting. */
function decoded(template: JsonObject): JsonObject {
  const normalized = POD_TEMPLATE.normalize({ apiVersion: 'v1', kind: 'PodTemplate', template });
  if (!normalized.ok) throw new Error(normalized.message);
  const result = normalized.object['template'] as JsonObject;
  setPodTemplateDefaults(result);
  return result;
}

const parse = (text: string): JsonObject => JSON.parse(text) as JsonObject;

const issuesOf = (template: JsonObject, old?: JsonObject): string[] =>
  validatePodTemplateSpec(template, TEMPLATE, { old, allowPrivileged: false }).map(formatIssue);

describe('an invalid pod template has the issues of kube-apiserver:', () => {
  test.each(FAULTY_SPECS)('$title', ({ spec, annotations, issues }) => {
    const metadata = { annotations: parse(annotations ?? '{}') };
    const template = decoded({ metadata, spec: parse(spec) });
    const found = issuesOf(template);
    expect([...found].sort()).toEqual([...issues].sort());
  });
});

test('issues are in the order of kube-apiserver', () => {
  const ordered = FAULTY_SPECS.filter(({ title }) => ['ports', 'handlers', 'affinity', 'windows'].includes(title));
  for (const { spec, issues } of ordered) expect(issuesOf(decoded({ spec: parse(spec) }))).toEqual(issues);
});

test('invalid values that the stored template has are accepted', () => {
  const odd = (more: JsonObject = {}): JsonObject =>
    decoded({
      spec: {
        containers: [
          {
            name: 'c',
            image: 'i',
            resources: { limits: { memory: '1', 'hugepages-2Mi': '3Mi' }, requests: { 'hugepages-2Mi': '3Mi' } },
          },
        ],
        securityContext: { seLinuxChangePolicy: 'MountOption' },
        tolerations: [{ key: 'a', operator: 'Lt', value: '1' }],
        ...more,
      },
    });
  expect(issuesOf(odd())).toHaveLength(4);
  expect(issuesOf(odd({ hostname: 'new' }), odd())).toEqual([]);
});

test('a valid template has no issues', () => {
  expect(issuesOf(decoded({ spec: { containers: [{ name: 'c', image: 'i' }] } }))).toEqual([]);
});
