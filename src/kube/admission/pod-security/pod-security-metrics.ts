/** The metrics of the plugin PodSecurity, under kube-apiserver's names and labels. */

import type { MetricRegistry } from '../../../base/metrics/metric-registry.ts';
import type { AdmissionAttributes } from '../../../server/admission.ts';
import { REFERENCE_VERSION } from '../../../server/version-info.ts';
import type { LevelVersion } from './policy.ts';

export type EvaluationMode = 'enforce' | 'audit' | 'warn';

export interface PodSecurityMetrics {
  /** Counts one evaluation of a policy. Evaluations for audit and warn are counted only if they deny. */
  evaluated(decision: 'allow' | 'deny', policy: LevelVersion, mode: EvaluationMode, request: AdmissionAttributes): void;
  /** Counts an error that kept the plugin from a normal evaluation. `fatal`: nothing was evaluated. */
  failed(fatal: boolean, request: AdmissionAttributes): void;
  /** Counts a request that is exempt. */
  exempted(request: AdmissionAttributes): void;
}

/** Registers the metrics. Once per registry: a second time is a BugError. */
export function createPodSecurityMetrics(registry: MetricRegistry): PodSecurityMetrics {
  const evaluations = registry.counter({
    name: 'pod_security_evaluations_total',
    help: 'Evaluations of a PodSecurity policy, without requests that the plugin ignores or exempts.',
    labels: [
      'decision',
      'policy_level',
      'policy_version',
      'mode',
      'request_operation',
      'resource',
      'subresource',
    ] as const,
  });
  const exemptions = registry.counter({
    name: 'pod_security_exemptions_total',
    help: 'Requests that the configuration of PodSecurity exempts.',
    labels: ['request_operation', 'resource', 'subresource'] as const,
  });
  const errors = registry.counter({
    name: 'pod_security_errors_total',
    help: 'Errors that prevented a normal evaluation. After an error that is not fatal, the strictest level is evaluated.',
    labels: ['fatal', 'request_operation', 'resource', 'subresource'] as const,
  });
  // The reference prints these series from the start.
  for (const operation of ['create', 'update']) {
    evaluations.labels('allow', 'privileged', 'latest', 'enforce', operation, 'pod', '');
    for (const resource of ['pod', 'controller']) exemptions.labels(operation, resource, '');
  }
  return {
    evaluated: (decision, policy, mode, request) => {
      const { operation, subresource } = request;
      evaluations
        .labels(
          decision,
          policy.level,
          versionLabel(policy),
          mode,
          operation.toLowerCase(),
          resourceLabel(request),
          subresource,
        )
        .add();
    },
    failed: (fatal, request) =>
      errors.labels(`${fatal}`, request.operation.toLowerCase(), resourceLabel(request), request.subresource).add(),
    exempted: (request) =>
      exemptions.labels(request.operation.toLowerCase(), resourceLabel(request), request.subresource).add(),
  };
}

/** Privileged is the same in every version. Versions after the server's share one label, because users choose them. */
function versionLabel({ level, minor }: LevelVersion): string {
  if (level === 'privileged' || minor === Number.POSITIVE_INFINITY) return 'latest';
  return minor > REFERENCE_VERSION.minor ? 'future' : `v1.${minor}`;
}

function resourceLabel({ resource: { group, resource } }: AdmissionAttributes): string {
  if (group !== '') return 'controller';
  return resource === 'pods' ? 'pod' : resource === 'namespaces' ? 'namespace' : 'controller';
}
