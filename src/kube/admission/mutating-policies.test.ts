import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nameOf } from '../../apimachinery/meta/meta.ts';
import { objectAt, objectsAt } from '../../apimachinery/meta/object-fields.ts';
import { BugError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';
import { startTestKube, type TestAnswer, type TestKube } from '../kube-server.fixtures.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

let kube: TestKube;
beforeEach(async () => {
  const transport = () => Promise.reject(new BugError('these policies have no parameters'));
  kube = await startTestKube({ admission: { enable: [], disable: ['ServiceAccount'], transport } });
});
afterEach(() => kube.stop());

const applying = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patching = (expression: string): JsonObject => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

/** Creates a policy with these mutations for every write, and its binding. */
async function install(mutations: readonly JsonObject[], spec: JsonObject = {}, name = 'p'): Promise<void> {
  const rule = { operations: ['CREATE', 'UPDATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };
  const { status } = await kube.request('POST', `${GROUP}/mutatingadmissionpolicies`, {
    metadata: { name },
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: { resourceRules: [rule] },
      mutations: [...mutations],
      ...spec,
    },
  });
  expect(status).toBe(201);
  const binding = { metadata: { name: `${name}-binding` }, spec: { policyName: name } };
  expect((await kube.request('POST', `${GROUP}/mutatingadmissionpolicybindings`, binding)).status).toBe(201);
}

function create(object: JsonObject = {}): Promise<TestAnswer> {
  return kube.request('POST', CONFIG_MAPS, {
    metadata: { name: 'x', labels: { app: 'a' } },
    data: { a: '1' },
    ...object,
  });
}

function createDeployment(): Promise<TestAnswer> {
  const labels = { app: 'a' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  return kube.request('POST', DEPLOYMENTS, { metadata: { name: 'x' }, spec });
}

const label = (key: string, value: string): JsonObject =>
  applying(`Object{metadata: Object.metadata{labels: {"${key}": ${value}}}}`);

describe('MutatingAdmissionPolicy', () => {
  it('merges an apply configuration by the type of the object', async () => {
    const pod = 'Object.spec.template.spec';
    const containers = `[${pod}.containers{name: "side", image: "s"}, ${pod}.containers{name: "c", tty: true}]`;
    const template = `Object.spec.template{spec: ${pod}{containers: ${containers}}}`;
    await install([applying(`Object{spec: Object.spec{replicas: 3, template: ${template}}}`)]);
    const { body } = await createDeployment();
    expect(body['spec']).toMatchObject({
      replicas: 3,
      template: {
        spec: {
          containers: [
            { name: 'side', image: 's', imagePullPolicy: 'Always' },
            { name: 'c', image: 'i', tty: true },
          ],
        },
      },
    });
  });

  it('applies JSON patches, and none of a patch whose test fails', async () => {
    await install([
      patching('[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a.b/c"), value: "1"}]'),
      patching(
        '[JSONPatch{op: "remove", path: "/data"}, JSONPatch{op: "test", path: "/metadata/name", value: "other"}]',
      ),
      patching('[JSONPatch{op: "copy", from: "/data/a", path: "/data/b"}]'),
    ]);
    const { body } = await create();
    expect(body).toMatchObject({ metadata: { labels: { app: 'a', 'a.b/c': '1' } }, data: { a: '1', b: '1' } });
  });

  it('runs policies by name, each on the object that the one before left', async () => {
    await install([label('seen', 'object.metadata.labels.one')], {}, 'second');
    await install([label('one', '"1"')], {}, 'first');
    expect(objectAt((await create()).body, 'metadata', 'labels')).toEqual({ app: 'a', one: '1', seen: '1' });
  });

  it('evaluates a policy again only if it says so', async () => {
    const count = 'string(int(object.metadata.?labels[?"KEY"].orValue("0")) + 1)';
    await install([label('once', count.replace('KEY', 'once'))], {}, 'once');
    await install([label('twice', count.replace('KEY', 'twice'))], { reinvocationPolicy: 'IfNeeded' }, 'twice');
    expect(objectAt((await create()).body, 'metadata', 'labels')).toMatchObject({ once: '1', twice: '2' });
  });

  it('leaves out requests that constraints or conditions leave out, and deletions', async () => {
    await install([label('new', '"1"')], {
      matchConditions: [{ name: 'create', expression: 'request.operation == "CREATE"' }],
    });
    const resourceRules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }];
    await install([label('secret', '"1"')], { matchConstraints: { resourceRules } }, 'secrets');
    expect(objectAt((await create()).body, 'metadata', 'labels')).toEqual({ app: 'a', new: '1' });
    const replaced = await kube.request('PUT', `${CONFIG_MAPS}/x`, { metadata: { name: 'x' } });
    expect(replaced.body['metadata']).not.toHaveProperty('labels');
    expect((await kube.request('DELETE', `${CONFIG_MAPS}/x`)).status).toBe(200);
  });

  it('gives the fields that it sets to no manager', async () => {
    await install([label('new', '"1"')]);
    const entries = objectsAt((await create()).body, 'metadata', 'managedFields');
    expect(entries).toMatchObject([{ fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } } } }]);
    expect(writeJson([...entries])).not.toContain('f:new');
  });

  it.each<[string, JsonObject, string]>([
    [
      'atomic values',
      applying('Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"a": "b"}}}}'),
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector',
    ],
    [
      'fields that the type does not have',
      applying('Object{spec: Object.spec{nothing: 1}}'),
      'error applying patch: failed to convert patch object to typed object: .spec.nothing: field not declared in schema',
    ],
    [
      'values of another type',
      applying('Object{spec: Object.spec{replicas: "3"}}'),
      'error applying patch: failed to convert patch object to typed object: .spec.replicas: expected numeric (int or float), got string',
    ],
    [
      'null',
      applying('Object{metadata: Object.metadata{labels: null}}'),
      'error applying patch: failed to convert patch object to typed object: .metadata.labels: expected map, got &{NULL_VALUE}',
    ],
    [
      'maps inside of lists',
      applying('Object{metadata: Object.metadata{ownerReferences: [{"uid": "u"}]}}'),
      'error applying patch: failed to convert patch object to typed object: .metadata.ownerReferences: element 0: associative list with keys may not have non-map elements',
    ],
    [
      'objects under another name',
      applying('Object{spec: Object.metadata{replicas: 3}}'),
      'type mismatch: unexpected type name "Object.metadata", expected "Object.spec", which matches field name path from root Object type',
    ],
    [
      'expressions that fail',
      applying('Object{spec: Object.spec{replicas: object.spec.nothing}}'),
      "expression 'Object{spec: Object.spec{replicas: object.spec.nothing}}' resulted in error: no such key: nothing",
    ],
    [
      'patches that do not apply',
      patching('[JSONPatch{op: "remove", path: "/spec/nothing"}]'),
      "JSON Patch: error in remove for path: '/spec/nothing': Unable to remove nonexistent key: nothing: missing value",
    ],
    [
      'operations of another type',
      patching('[JSONPatch{op: dyn(1)}]'),
      "expression '[JSONPatch{op: dyn(1)}]' resulted in error: unexpected type int64 for JSONPatchType 'op' field",
    ],
  ])('refuses %s', async (_, mutation, message) => {
    await install([mutation]);
    const { body } = await createDeployment();
    const text = `policy 'p' with binding 'p-binding' denied request: ${message}`;
    expect(body).toMatchObject({ code: 403, reason: 'Invalid', message: text });
    expect(body['details']).toMatchObject({ name: 'x', kind: 'deployments', causes: [{ message: text }] });
  });

  it('names every failure in the causes, and continues if failures are ignored', async () => {
    const broken = [applying('Object{nothing: 1}'), applying('Object{data: {"b": 1}}')];
    await install(broken);
    expect((await create()).body['details']).toMatchObject({ causes: [{}, {}] });
    await kube.request('DELETE', `${GROUP}/mutatingadmissionpolicies/p`);
    await install([...broken, label('new', '"1"')], { failurePolicy: 'Ignore' }, 'q');
    expect(objectAt((await create()).body, 'metadata', 'labels')).toMatchObject({ new: '1' });
  });

  it('answers 500 to a patch that adds an unknown field, whatever the failure policy says', async () => {
    await install([patching('[JSONPatch{op: "add", path: "/unknown", value: 1}]')], { failurePolicy: 'Ignore' });
    const { body } = await create();
    const message = 'Internal error occurred: strict decoding error: unknown field "unknown"';
    expect(body).toMatchObject({ code: 500, reason: 'InternalError', message });
  });

  it('is not evaluated for the kinds of policies', async () => {
    await install([applying('Object{nothing: 1}')]);
    await install([label('new', '"1"')], {}, 'other');
    const { body } = await kube.request('GET', `${GROUP}/mutatingadmissionpolicies/other`);
    expect(nameOf(body)).toBe('other');
  });
});
