import { afterEach, describe, expect, it } from 'vitest';
import { ManifestObjects } from '../../../admission/manifests/manifest-objects.ts';
import { BugError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { writeJson } from '../../../base/json-write.ts';
import { startTestKube, type TestKube } from '../../kube-server.fixtures.ts';
import { decodeManifests } from './decode-manifests.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const API_VERSION = 'admissionregistration.k8s.io/v1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let kube: TestKube | undefined;
afterEach(() => kube?.stop());

/** A policy that refuses the selected objects, by default those with the label `guarded`, and its binding. */
function guard(
  name: string,
  apiGroups: string[],
  resources: string[],
  objectSelector: JsonObject = { matchLabels: { guarded: 'yes' } },
): readonly JsonObject[] {
  const rule = { operations: ['CREATE', 'DELETE'], apiGroups, apiVersions: ['*'], resources };
  return [
    {
      apiVersion: API_VERSION,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: { resourceRules: [rule], objectSelector },
        validations: [{ expression: 'false', message: 'guarded' }],
      },
    },
    {
      apiVersion: API_VERSION,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}

function load(manifests: ManifestObjects, objects: readonly JsonObject[]): void {
  const text = objects.map((object) => writeJson(object)).join('\n---\n');
  const decoded = decodeManifests('ValidatingAdmissionPolicy', [{ path: 'a.json', text }]);
  if (!decoded.ok) expect.unreachable(decoded.problem);
  manifests.replace(decoded.objects);
}

async function start(manifests: ManifestObjects): Promise<TestKube> {
  const transport = () => Promise.reject(new BugError('these policies have no parameters'));
  const configurations = { manifests: { ValidatingAdmissionPolicy: manifests } };
  const admission = { enable: [], disable: ['ServiceAccount'], transport, configurations, readsManifests: true };
  kube = await startTestKube({ admission });
  return kube;
}

const labelled = { metadata: { name: 'x', labels: { guarded: 'yes' } } };

describe('policies of manifest files', () => {
  it('are evaluated before those of the API, and count from their change', async () => {
    const manifests = new ManifestObjects();
    const { request } = await start(manifests);
    expect((await request('POST', CONFIG_MAPS, labelled)).status).toBe(201);
    load(manifests, guard('g.static.k8s.io', [''], ['configmaps']));
    const { status, body } = await request('DELETE', `${CONFIG_MAPS}/x`);
    expect([status, body['message']]).toEqual([
      422,
      "configmaps \"x\" is forbidden: ValidatingAdmissionPolicy 'g.static.k8s.io' with binding 'g.static.k8s.io' denied request: guarded",
    ]);
    manifests.replace([]);
    expect((await request('DELETE', `${CONFIG_MAPS}/x`)).status).toBe(200);
  });

  it('are evaluated for policies too, and never for reviews', async () => {
    const manifests = new ManifestObjects();
    const reviews = guard('r.static.k8s.io', ['authorization.k8s.io'], ['*'], {});
    load(manifests, [...guard('g.static.k8s.io', ['*'], ['*']), ...reviews]);
    const { request } = await start(manifests);
    const [policy] = guard('in-api', [''], ['configmaps']) as [JsonObject];
    const own = { ...policy, metadata: { name: 'in-api', labels: { guarded: 'yes' } } };
    expect((await request('POST', `${GROUP}/validatingadmissionpolicies`, own)).status).toBe(422);
    expect((await request('POST', `${GROUP}/validatingadmissionpolicies`, policy)).status).toBe(201);
    const review = { spec: { nonResourceAttributes: { path: '/x', verb: 'get' } } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    expect((await request('POST', path, review)).status).toBe(201);
  });

  it('reserve their names', async () => {
    const { request } = await start(new ManifestObjects());
    const [policy] = guard('in-api.static.k8s.io', [''], ['configmaps']) as [JsonObject];
    const { status, body } = await request('POST', `${GROUP}/validatingadmissionpolicies`, policy);
    expect(status).toBe(422);
    expect(body['message']).toContain(
      'metadata.name: Invalid value: "in-api.static.k8s.io": names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API',
    );
  });
});
