import { afterEach, describe, expect, it } from 'vitest';
import { ValidatingAdmissionPolicy } from '../../src/kinds/api/admissionregistration/v1.ts';
import { CustomResourceDefinition } from '../../src/kinds/api/apiextensions/v1.ts';
import { type Plane, startPlane, until } from './plane.fixtures.ts';

let plane: Plane;
afterEach(async () => {
  await plane.plane.stop();
});

type Spec = NonNullable<ValidatingAdmissionPolicy['spec']>;

const rule = (apiGroups: string[], resources: string[]) => ({
  apiGroups,
  apiVersions: ['v1'],
  operations: ['CREATE' as const],
  resources,
});

/** Creates a policy and returns its warnings as `fieldRef warning`. */
async function warningsOf(name: string, rules: ReturnType<typeof rule>[], spec: Partial<Spec>): Promise<string[]> {
  const api = plane.client.api(ValidatingAdmissionPolicy);
  await api.create({ metadata: { name }, spec: { matchConstraints: { resourceRules: rules }, ...spec } });
  await until('the status is written', async () => (await api.get(name)).status?.observedGeneration === 1);
  const { status } = await api.get(name);
  return (status?.typeChecking?.expressionWarnings ?? []).map(({ fieldRef, warning }) => `${fieldRef} ${warning}`);
}

const expressions = (...all: string[]): Pick<Spec, 'validations'> => ({
  validations: all.map((expression) => ({ expression })),
});

// The texts are those of kube-controller-manager 1.36.3.
describe('the loop of the status of policies', () => {
  it('writes the warnings of type checking, one for all kinds of an expression', async () => {
    plane = await startPlane();
    const warnings = await warningsOf('a', [rule(['apps', ''], ['deployments', 'pods', 'pods/status'])], {
      variables: [
        { name: 'num', expression: 'object.spec.replicas' },
        { name: 'bad', expression: 'object.nope' },
      ],
      validations: [
        { expression: 'object.foo > 1', messageExpression: 'string(object.spec.bar)' },
        { expression: "variables.num == 'x'" },
        { expression: 'variables.bad == 1' },
      ],
    });
    expect(warnings).toEqual([
      `spec.validations[0].expression /v1, Kind=Pod: ERROR: <input>:1:7: undefined field 'foo'
 | object.foo > 1
 | ......^

apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'foo'
 | object.foo > 1
 | ......^
`,
      `spec.validations[0].messageExpression /v1, Kind=Pod: ERROR: <input>:1:19: undefined field 'bar'
 | string(object.spec.bar)
 | ..................^

apps/v1, Kind=Deployment: ERROR: <input>:1:19: undefined field 'bar'
 | string(object.spec.bar)
 | ..................^
`,
      `spec.validations[1].expression apps/v1, Kind=Deployment: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(int, string)'
 | variables.num == 'x'
 | ..............^
`,
    ]);
    expect(plane.problems).toEqual([]);
  });

  it('knows the types of parameters, times, bytes and maps; quantities cannot be read', async () => {
    plane = await startPlane();
    const warnings = await warningsOf('b', [rule([''], ['pods', 'secrets'])], {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      ...expressions(
        "params.data.x == 'a' && params.nope == 1",
        "object.metadata.creationTimestamp == 'a'",
        "object.spec.containers.all(c, c.resources.limits.cpu == '1')",
        "object.spec.containers[0].livenessProbe.httpGet.port == 'a'",
        "object.data.x == 'a' && object.metadata.labels.a == 'b'",
      ),
    });
    const errors = warnings.map((text) => [...text.matchAll(/(Kind=\w+)|: ([^:\n]*)$/gm)].map((m) => m[1] ?? m[2]));
    expect(errors).toEqual([
      ['Kind=Pod', "undefined field 'nope'", 'Kind=Secret', "undefined field 'nope'"],
      [
        'Kind=Pod',
        "found no matching overload for '_==_' applied to '(timestamp, string)'",
        'Kind=Secret',
        "found no matching overload for '_==_' applied to '(timestamp, string)'",
      ],
      ['Kind=Pod', "undefined field 'limits'", 'Kind=Secret', "undefined field 'spec'"],
      ['Kind=Secret', "undefined field 'spec'"],
      [
        'Kind=Pod',
        "undefined field 'data'",
        'Kind=Secret',
        "found no matching overload for '_==_' applied to '(bytes, string)'",
      ],
    ]);
  });

  it('checks each generation once, and rules with wildcards not at all', async () => {
    plane = await startPlane();
    const api = plane.client.api(ValidatingAdmissionPolicy);
    expect(await warningsOf('c', [rule(['*'], ['pods'])], expressions('object.nope == 1'))).toEqual([]);
    const { status, metadata } = await api.get('c');
    expect(status?.typeChecking).toEqual({});
    const managers = (metadata.managedFields ?? []).map(({ manager, subresource }) => `${manager} ${subresource}`);
    expect(managers).toContain('validatingadmissionpolicy-status-controller status');
    const body = { spec: { matchConstraints: { resourceRules: [rule([''], ['pods'])] } } };
    await api.patch('c', { type: 'merge', body });
    await until('the next generation', async () => (await api.get('c')).status?.observedGeneration === 2);
    expect((await api.get('c')).status?.typeChecking?.expressionWarnings).toHaveLength(1);
  });

  it('checks custom resources by their schemas', async () => {
    plane = await startPlane();
    const size = { type: 'object', properties: { size: { type: 'integer' } } };
    await plane.client.api(CustomResourceDefinition).create({
      metadata: { name: 'boxes.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec: size } } },
          },
        ],
      },
    });
    await until('the kind is served', async () => {
      const { status } = await plane.client.api(CustomResourceDefinition).get('boxes.example.com');
      return (status?.conditions ?? []).some(({ type, status: state }) => type === 'Established' && state === 'True');
    });
    const warnings = await warningsOf(
      'd',
      [rule(['example.com'], ['boxes'])],
      expressions('object.spec.size > 1', 'object.spec.color == 1', "object.metadata.name == 'a'"),
    );
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch("example.com/v1, Kind=Box: ERROR: <input>:1:12: undefined field 'color'");
  });
});
