/** Parts of pods as the reference's internal types print them in messages. Invariant: data. */
import type { Shape } from '../../../../shared/go-shape.ts';

/** Seccomp and AppArmor profiles have the same fields. */
export const PROFILE_SHAPE: Shape = [
  ['Type', 'type', ''],
  ['LocalhostProfile', 'localhostProfile', null],
];

export const IP_SHAPE: Shape = [['IP', 'ip', '']];

export const CLAIM_SHAPE: Shape = [
  ['Name', 'name', ''],
  ['ResourceClaimName', 'resourceClaimName', null],
  ['ResourceClaimTemplateName', 'resourceClaimTemplateName', null],
];

const CAPABILITIES_SHAPE: Shape = [
  ['Add', 'add', null],
  ['Drop', 'drop', null],
];
const SE_LINUX_SHAPE: Shape = [
  ['User', 'user', ''],
  ['Role', 'role', ''],
  ['Type', 'type', ''],
  ['Level', 'level', ''],
];
const WINDOWS_SHAPE: Shape = [
  ['GMSACredentialSpecName', 'gmsaCredentialSpecName', null],
  ['GMSACredentialSpec', 'gmsaCredentialSpec', null],
  ['RunAsUserName', 'runAsUserName', null],
  ['HostProcess', 'hostProcess', null],
];

export const SECURITY_CONTEXT_SHAPE: Shape = [
  ['Capabilities', 'capabilities', null, CAPABILITIES_SHAPE],
  ['Privileged', 'privileged', null],
  ['SELinuxOptions', 'seLinuxOptions', null, SE_LINUX_SHAPE],
  ['WindowsOptions', 'windowsOptions', null, WINDOWS_SHAPE],
  ['RunAsUser', 'runAsUser', null],
  ['RunAsGroup', 'runAsGroup', null],
  ['RunAsNonRoot', 'runAsNonRoot', null],
  ['ReadOnlyRootFilesystem', 'readOnlyRootFilesystem', null],
  ['AllowPrivilegeEscalation', 'allowPrivilegeEscalation', null],
  ['ProcMount', 'procMount', null],
  ['SeccompProfile', 'seccompProfile', null, PROFILE_SHAPE],
  ['AppArmorProfile', 'appArmorProfile', null, PROFILE_SHAPE],
];
