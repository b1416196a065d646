/** Validation of the security contexts of pods and containers. */
import { goValue } from '../../../../../apimachinery/go-shape/go-value.ts';
import {
  fieldAt,
  flagAt,
  listAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from '../../../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  declared,
  duplicate,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../../../../apimachinery/validation/field-issue.ts';
import type { FieldPath } from '../../../../../apimachinery/validation/field-path.ts';
import { checkInRange } from '../../../../../apimachinery/validation/name-syntax.ts';
import type { JsonObject } from '../../../../../base/json-value.ts';
import { utf8Length } from '../../../../../base/utf8.ts';
import { coreShapes } from '../../../../../kinds/shapes/core.ts';
import { validateOptionalChoice } from '../../../../shared/choices.ts';
import { validateDescendingPath } from '../../volume/file-paths.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { validateWindowsOptions } from './validate-windows-options.ts';

const MAX_ID = 2 ** 31 - 1;
const PROC_MOUNTS = ['Default', 'Unmasked'];
const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const FS_GROUP_POLICIES = ['Always', 'OnRootMismatch'];
const GROUP_POLICIES = ['Merge', 'Strict'];
const SE_LINUX_POLICIES = ['MountOption', 'Recursive'];
const PROFILE_PATH_MAX = 4095;
const SYSCTL_MAX = 253;
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const IPC_SYSCTLS: readonly string[] = 'sem shmall shmmax shmmni shm_rmid_forced shm msgmax msgmnb msgmni msg'.split(
  ' ',
);

/** Appends to `issues`. `path` is the path of the context. */
export function validateContainerSecurity(
  context: JsonObject,
  options: PodValidationOptions,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const isPrivileged = flagAt(context, 'privileged');
  if (isPrivileged && !options.allowPrivileged)
    issues.push(forbidden(path.child('privileged'), 'disallowed by cluster policy'));
  validateId(context, 'runAsUser', path, issues);
  validateId(context, 'runAsGroup', path, issues);
  const procMount = fieldAt(context, 'procMount');
  if (typeof procMount === 'string') {
    const at = path.child('procMount');
    if (!PROC_MOUNTS.includes(procMount)) issues.push(declared(notSupported(at, procMount, PROC_MOUNTS)));
    if (options.hostUsers && procMount === 'Unmasked')
      issues.push(declared(invalid(at, procMount, '`hostUsers` must be false to use `Unmasked`')));
  }
  validateSeccompProfile(objectAt(context, 'seccompProfile'), path.child('seccompProfile'), issues);
  if (fieldAt(context, 'allowPrivilegeEscalation') === false) {
    const shown = (): JsonObject => goValue(coreShapes, 'SecurityContext', context);
    const cannot = 'cannot set `allowPrivilegeEscalation` to false and';
    if (isPrivileged) issues.push(declared(invalid(path, shown(), `${cannot} \`privileged\` to true`)));
    for (const capability of textsAt(context, 'capabilities', 'add'))
      if (capability === 'CAP_SYS_ADMIN')
        issues.push(declared(invalid(path, shown(), `${cannot} \`capabilities.Add\` CAP_SYS_ADMIN`)));
  }
  validateWindowsOptions(objectAt(context, 'windowsOptions'), path.child('windowsOptions'), issues);
  addIssues(issues, validateAppArmorProfile(objectAt(context, 'appArmorProfile'), path.child('appArmorProfile')));
}

/** Appends to `issues`. `path` is the path of the context, also for spec fields that the internal type has there. */
export function validatePodSecurity(
  spec: JsonObject,
  options: PodValidationOptions,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const context = objectAt(spec, 'securityContext') ?? {};
  validateId(context, 'fsGroup', path, issues);
  validateId(context, 'runAsUser', path, issues);
  validateId(context, 'runAsGroup', path, issues);
  listAt(context, 'supplementalGroups').forEach((group, i) => {
    for (const complaint of checkInRange(Number(group), 0, MAX_ID))
      issues.push(invalid(path.child('supplementalGroups').index(i), group, complaint));
  });
  if (flagAt(spec, 'shareProcessNamespace') && flagAt(spec, 'hostPID'))
    issues.push(
      invalid(path.child('shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled'),
    );
  validateSysctls(spec, context, options, path.child('sysctls'), issues);
  issues.push(...validateOptionalChoice(context, 'fsGroupChangePolicy', FS_GROUP_POLICIES, path));
  validateSeccompProfile(objectAt(context, 'seccompProfile'), path.child('seccompProfile'), issues);
  validateWindowsOptions(objectAt(context, 'windowsOptions'), path.child('windowsOptions'), issues);
  addIssues(issues, validateAppArmorProfile(objectAt(context, 'appArmorProfile'), path.child('appArmorProfile')));
  issues.push(...validateOptionalChoice(context, 'supplementalGroupsPolicy', GROUP_POLICIES, path));
  const policies = options.allowAnySeLinuxChangePolicy ? SE_LINUX_POLICIES : ['Recursive'];
  issues.push(...validateOptionalChoice(context, 'seLinuxChangePolicy', policies, path));
}

function validateId(context: JsonObject, name: string, path: FieldPath, issues: FieldIssue[]): void {
  const id = fieldAt(context, name);
  if (id === undefined) return;
  for (const complaint of checkInRange(Number(id), 0, MAX_ID)) issues.push(invalid(path.child(name), id, complaint));
}

// ── Profiles ──

function validateSeccompProfile(profile: JsonObject | undefined, path: FieldPath, issues: FieldIssue[]): void {
  if (profile === undefined) return;
  const type = textAt(profile, 'type');
  if (type === '') issues.push(required(path.child('type'), 'type is required when seccompProfile is set'));
  else if (!PROFILE_TYPES.includes(type)) issues.push(declared(notSupported(path.child('type'), type, PROFILE_TYPES)));
  const file = fieldAt(profile, 'localhostProfile');
  const at = path.child('localhostProfile');
  if (type === 'Localhost') {
    if (typeof file !== 'string') issues.push(required(at, 'must be set when seccomp type is Localhost'));
    else addIssues(issues, validateDescendingPath(file, at));
  } else if (file !== undefined)
    issues.push(
      declared(
        invalid(at, goValue(coreShapes, 'SeccompProfile', profile), 'can only be set when seccomp type is Localhost'),
      ),
    );
}

export function validateAppArmorProfile(profile: JsonObject | undefined, path: FieldPath): FieldIssue[] {
  if (profile === undefined) return [];
  const type = textAt(profile, 'type');
  const file = fieldAt(profile, 'localhostProfile');
  const at = path.child('localhostProfile');
  if (type === 'Localhost') {
    const missing = required(at, 'must be set when AppArmor type is Localhost');
    if (typeof file !== 'string') return [missing];
    const issues: FieldIssue[] = [];
    if (file.trim() !== file) issues.push(invalid(at, file, 'must not be padded with whitespace'));
    else if (file === '') issues.push(missing);
    if (utf8Length(file) > PROFILE_PATH_MAX) issues.push(tooLong(at, file, PROFILE_PATH_MAX));
    return issues;
  }
  if (type === '') return [required(path.child('type'), 'type is required when appArmorProfile is set')];
  if (!PROFILE_TYPES.includes(type)) return [declared(notSupported(path.child('type'), type, PROFILE_TYPES))];
  return file === undefined ? [] : [invalid(at, file, 'can only be set when AppArmor type is Localhost')];
}

// ── Sysctls ──

function validateSysctls(
  spec: JsonObject,
  context: JsonObject,
  options: PodValidationOptions,
  path: FieldPath,
  issues: FieldIssue[],
): void {
  const seen = new Set<string>();
  objectsAt(context, 'sysctls').forEach((sysctl, i) => {
    const name = textAt(sysctl, 'name');
    const at = path.index(i).child('name');
    if (name === '') issues.push(required(at, ''));
    else if (utf8Length(name) > SYSCTL_MAX || !SYSCTL.test(name))
      issues.push(invalid(at, name, `must have at most ${SYSCTL_MAX} characters and match regex ${SYSCTL_PATTERN}`));
    else if (seen.has(name)) issues.push(duplicate(at, name));
    if (!options.allowNamespacedSysctls) {
      const complaint = hostSysctlComplaint(name, spec);
      if (complaint !== '') issues.push(invalid(at, name, complaint));
    }
    seen.add(name);
  });
}

const SYSCTL_PATTERN = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';

/** The complaint about a sysctl of a namespace that the pod shares with the host, or ''. */
export function hostSysctlComplaint(sysctl: string, spec: JsonObject): string {
  const name = normalizedSysctl(sysctl);
  if (flagAt(spec, 'hostNetwork') && name.startsWith('net.')) return "may not be specified when 'hostNetwork' is true";
  const isIpc =
    name.startsWith('fs.mqueue.') || (name.startsWith('kernel.') && IPC_SYSCTLS.includes(name.slice('kernel.'.length)));
  return isIpc && flagAt(spec, 'hostIPC') ? "may not be specified when 'hostIPC' is true" : '';
}

/** Converts the form with slashes, `net/ipv4/conf/eth0.1`, to dots, and cuts at a star. */
function normalizedSysctl(sysctl: string): string {
  const separator = sysctl.search(/[./]/);
  const name = separator >= 0 && sysctl[separator] === '/' ? swapSeparators(sysctl) : sysctl;
  const star = name.indexOf('*');
  return star < 0 ? name : name.slice(0, star);
}

function swapSeparators(text: string): string {
  return text.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.'));
}
