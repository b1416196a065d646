import { describe, expect, it } from 'vitest';
import { decodeConfig } from '../../../apimachinery/codec/config-object.ts';
import { formatIssue } from '../../../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { AdmissionPlugin } from '../../../server/admission.ts';
import { attributesFor, listerOf, podWith, verdict } from '../admission.fixtures.ts';
import {
  POD_SECURITY_CONFIGURATION,
  podSecurityConfigurationOf,
  validatePodSecurityConfiguration,
} from './configuration.ts';
import { podSecurity } from './pod-security.ts';

function configuration(fields: JsonObject): JsonObject {
  const { apiVersions, kind } = POD_SECURITY_CONFIGURATION;
  const text = JSON.stringify({ apiVersion: apiVersions[0] ?? '', kind, ...fields });
  const decoded = decodeConfig(text, POD_SECURITY_CONFIGURATION);
  if (!decoded.ok) expect.unreachable(decoded.message);
  return decoded.value;
}

function plugin(fields: JsonObject, labels: JsonObject = {}): AdmissionPlugin {
  return podSecurity({
    namespaces: listerOf({ metadata: { name: 'ns', labels } }),
    pods: () => ({ pods: [podWith({ hostNetwork: true, runtimeClassName: 'gvisor' })], total: 1 }),
    now: () => 0,
    configuration: podSecurityConfigurationOf(configuration(fields)),
  });
}

const BAD = { hostNetwork: true };
const BASELINE = { defaults: { enforce: 'baseline' } };

describe('the configuration of PodSecurity', () => {
  it('has the level of namespaces without labels', () => {
    const attributes = attributesFor('CREATE', 'pods', podWith(BAD));
    expect(verdict(plugin(BASELINE), attributes)).toMatch('violates PodSecurity "baseline:latest": host namespaces');
    const labelled = plugin(BASELINE, { 'pod-security.kubernetes.io/enforce': 'privileged' });
    expect(verdict(labelled, attributesFor('CREATE', 'pods', podWith(BAD)))).toBeUndefined();
    const versioned = plugin({ defaults: { enforce: 'baseline', 'enforce-version': 'v1.20' } });
    expect(verdict(versioned, attributesFor('CREATE', 'pods', podWith(BAD)))).toMatch('"baseline:v1.20"');
  });

  it.each([
    ['namespace', { namespaces: ['ns'] }],
    ['user', { usernames: ['someone'] }],
    ['runtimeClass', { runtimeClasses: ['gvisor'] }],
  ])('exempts by %s', (by, exemptions) => {
    const exempting = plugin({ ...BASELINE, exemptions });
    const attributes = attributesFor('CREATE', 'pods', podWith({ ...BAD, runtimeClassName: 'gvisor' }));
    expect(verdict(exempting, attributes)).toBeUndefined();
    expect(attributes.annotations).toEqual({ 'pod-security.kubernetes.io/exempt': by });
  });

  it('warns about labels of an exempt namespace, which have no effect', () => {
    const labels = {
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/warn': 'baseline',
    };
    const namespace = { metadata: { name: 'ns', labels } };
    const exempting = plugin({ exemptions: { namespaces: ['ns'] } });
    const warning =
      'namespace "ns" is exempt from Pod Security, and the policy (enforce=restricted:latest, warn=baseline:latest) will be ignored';
    const created = attributesFor('CREATE', 'namespaces', namespace);
    verdict(exempting, created);
    expect(created.warnings).toEqual([warning]);
    const updated = attributesFor('UPDATE', 'namespaces', namespace, { oldObject: { metadata: { name: 'ns' } } });
    verdict(exempting, updated);
    expect(updated.warnings).toEqual([warning]);
  });

  it('leaves pods with an exempt runtime class out of the check of existing pods', () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' };
    const update = () =>
      attributesFor(
        'UPDATE',
        'namespaces',
        { metadata: { name: 'ns', labels } },
        { oldObject: { metadata: { name: 'ns' } } },
      );
    const [judged, exempt] = [update(), update()];
    verdict(plugin({}), judged);
    verdict(plugin({ exemptions: { runtimeClasses: ['gvisor'] } }), exempt);
    expect(judged.warnings.join()).toMatch('p: host namespaces');
    expect(exempt.warnings.join()).not.toMatch('p: host namespaces');
  });

  it('is refused with all issues', () => {
    const read = configuration({
      defaults: { enforce: 'bad', 'warn-version': 'x' },
      exemptions: { usernames: [''], namespaces: ['A', 'b', 'b'], runtimeClasses: ['x', 'x'] },
    });
    const found = validatePodSecurityConfiguration(read).map(formatIssue);
    expect(found.map((text) => text.split(': a lowercase')[0])).toEqual([
      'defaults.enforce: Invalid value: "bad": must be one of privileged, baseline, restricted',
      'defaults.warn-version: Invalid value: "x": must be "latest" or "v1.x"',
      'exemptions.namespaces[0]: Invalid value: "A"',
      'exemptions.namespaces[2]: Duplicate value: "b"',
      'exemptions.runtimeClasses[1]: Duplicate value: "x"',
      'exemptions.usernames[0]: Invalid value: "": username must not be empty',
    ]);
  });
});
