/**
 * The checks of each PodSecurity level and version, and their evaluation.
 * Invariant: violations have the reference's order: `baseline` first, and within a level by the id of the check. A
 * version newer than every check uses the newest checks.
 */
import type { JsonObject } from '../../../base/json-value.ts';
import * as baseline from './baseline-checks.ts';
import { checkedPod, type PodCheck, type Violation } from './checked-pod.ts';
import type { LevelVersion } from './policy.ts';
import * as restricted from './restricted-checks.ts';

interface Check {
  readonly id: string;
  /** The implementations with the minor version from which each applies, in ascending order. */
  readonly since: readonly (readonly [minor: number, check: PodCheck])[];
  /** The check of `baseline` that this check of `restricted` replaces. */
  readonly replaces?: string;
}

const SE_LINUX_TYPES = ['container_t', 'container_init_t', 'container_kvm_t'];
const SYSCTLS = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const SYSCTLS_27 = [...SYSCTLS, 'net.ipv4.ip_local_reserved_ports'];
const SYSCTLS_29 = [
  ...SYSCTLS_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const SYSCTLS_32 = [...SYSCTLS_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

const BASELINE: readonly Check[] = [
  { id: 'appArmorProfile', since: [[0, baseline.appArmorProfile]] },
  { id: 'capabilities_baseline', since: [[0, baseline.defaultCapabilities]] },
  { id: 'hostNamespaces', since: [[0, baseline.hostNamespaces]] },
  { id: 'hostPathVolumes', since: [[0, baseline.hostPathVolumes]] },
  { id: 'hostPorts', since: [[0, baseline.hostPorts]] },
  { id: 'hostProbesAndHostLifecycle', since: [[34, baseline.probeHosts]] },
  { id: 'privileged', since: [[0, baseline.privileged]] },
  {
    id: 'procMount',
    since: [
      [0, baseline.procMount],
      [35, baseline.procMountOutsideUserNamespace],
    ],
  },
  {
    id: 'seLinuxOptions',
    since: [
      [0, baseline.seLinuxOptions(SE_LINUX_TYPES)],
      [31, baseline.seLinuxOptions([...SE_LINUX_TYPES, 'container_engine_t'])],
    ],
  },
  {
    id: 'seccompProfile_baseline',
    since: [
      [0, baseline.seccompAnnotations],
      [19, baseline.seccompProfile],
    ],
  },
  {
    id: 'sysctls',
    since: [
      [0, baseline.sysctls(SYSCTLS)],
      [27, baseline.sysctls(SYSCTLS_27)],
      [29, baseline.sysctls(SYSCTLS_29)],
      [32, baseline.sysctls(SYSCTLS_32)],
    ],
  },
  { id: 'windowsHostProcess', since: [[0, baseline.windowsHostProcess]] },
];

const RESTRICTED: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    since: [
      [8, restricted.allowPrivilegeEscalation],
      [25, restricted.unlessWindows(restricted.allowPrivilegeEscalation)],
    ],
  },
  {
    id: 'capabilities_restricted',
    since: [
      [22, restricted.restrictedCapabilities],
      [25, restricted.unlessWindows(restricted.restrictedCapabilities)],
    ],
    replaces: 'capabilities_baseline',
  },
  { id: 'procMount_restricted', since: [[35, baseline.procMount]], replaces: 'procMount' },
  { id: 'restrictedVolumes', since: [[0, restricted.restrictedVolumes]], replaces: 'hostPathVolumes' },
  {
    id: 'runAsNonRoot',
    since: [
      [0, restricted.runAsNonRoot],
      [35, restricted.unlessUserNamespace(restricted.runAsNonRoot)],
    ],
  },
  {
    id: 'runAsUser',
    since: [
      [23, restricted.runAsUser],
      [35, restricted.unlessUserNamespace(restricted.runAsUser)],
    ],
  },
  {
    id: 'seccompProfile_restricted',
    since: [
      [19, restricted.restrictedSeccomp],
      [25, restricted.unlessWindows(restricted.restrictedSeccomp)],
    ],
    replaces: 'seccompProfile_baseline',
  },
];

/** Returns the violations of a pod or a pod template. */
export function violationsOf({ level, minor }: LevelVersion, pod: JsonObject): readonly Violation[] {
  if (level === 'privileged') return [];
  const checked = checkedPod(pod);
  return checksOf(level, minor)
    .map((check) => check(checked))
    .filter((found) => found !== undefined);
}

function checksOf(level: 'baseline' | 'restricted', minor: number): readonly PodCheck[] {
  const strict = level === 'baseline' ? [] : RESTRICTED.filter((check) => formAt(check, minor) !== undefined);
  const replaced = new Set(strict.map(({ replaces }) => replaces));
  return [...BASELINE.filter(({ id }) => !replaced.has(id)), ...strict]
    .map((check) => formAt(check, minor))
    .filter((check) => check !== undefined);
}

function formAt({ since }: Check, minor: number): PodCheck | undefined {
  return since.findLast(([first]) => first <= minor)?.[1];
}

/** Formats reasons and details for refusals and warnings. */
export function formatViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');
}

/** Formats reasons without details, which differ from pod to pod. */
export function formatReasons(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ');
}
