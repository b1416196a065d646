/** The checks of the level `baseline`. Reasons and details equal the reference's. */
import { quote } from '../../../apimachinery/go-format.ts';
import { numberAt, objectAt, objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import {
  type CheckedPod,
  containersNamed,
  containersWhere,
  hasUserNamespace,
  inQuotes,
  type PodCheck,
  plural,
  setters,
  sorted,
  sortedInQuotes,
  type Violation,
} from './checked-pod.ts';

const APP_ARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';
const SECCOMP_POD_ANNOTATION = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER_ANNOTATION = 'container.seccomp.security.alpha.kubernetes.io/';
const DEFAULT_CAPABILITIES = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);

export const appArmorProfile: PodCheck = (pod) => {
  const bad = new Set<string>();
  const isBad = (security: JsonObject | undefined): boolean => {
    const profile = security === undefined ? undefined : objectAt(security, 'appArmorProfile');
    if (profile === undefined) return false;
    const type = textAt(profile, 'type');
    if (type === 'RuntimeDefault' || type === 'Localhost') return false;
    bad.add(type);
    return true;
  };
  const who = [
    setters(
      isBad(pod.security),
      containersWhere(pod, ({ security }) => isBad(security)),
    ),
  ];
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(APP_ARMOR_ANNOTATION) && !isAllowedAppArmor(value))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .sort();
  if (annotations.length > 0) who.push(plural(annotations.length, 'annotation', 'annotations'));
  const places = who.filter((setter) => setter !== '');
  if (places.length === 0) return undefined;
  const values = [...sorted(bad), ...annotations];
  return {
    reason: plural(values.length, 'forbidden AppArmor profile', 'forbidden AppArmor profiles'),
    detail: `${places.join(' and ')} must not set AppArmor profile type to ${inQuotes(values)}`,
  };
};

function isAllowedAppArmor(profile: string): boolean {
  return profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/');
}

export const defaultCapabilities: PodCheck = (pod) => {
  const bad = new Set<string>();
  const names = containersWhere(pod, ({ security }) => {
    const added = security === undefined ? [] : textsAt(security, 'capabilities', 'add');
    const other = added.filter((capability) => !DEFAULT_CAPABILITIES.has(capability));
    for (const capability of other) bad.add(capability);
    return other.length > 0;
  });
  if (names.length === 0) return undefined;
  const detail = `${containersNamed(names)} must not include ${sortedInQuotes(bad)} in securityContext.capabilities.add`;
  return { reason: 'non-default capabilities', detail };
};

export const hostNamespaces: PodCheck = ({ spec }) => {
  const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec[field] === true);
  if (used.length === 0) return undefined;
  return { reason: 'host namespaces', detail: used.map((field) => `${field}=true`).join(', ') };
};

export const hostPathVolumes: PodCheck = ({ spec }) => {
  const names = objectsAt(spec, 'volumes')
    .filter((volume) => volume['hostPath'] !== undefined)
    .map((volume) => textAt(volume, 'name'));
  if (names.length === 0) return undefined;
  return { reason: 'hostPath volumes', detail: `${plural(names.length, 'volume', 'volumes')} ${inQuotes(names)}` };
};

export const hostPorts: PodCheck = (pod) => {
  const ports = new Set<string>();
  const names = containersWhere(pod, ({ container }) => {
    const used = objectsAt(container, 'ports')
      .map((port) => numberAt(port, 'hostPort'))
      .filter((port) => port !== 0);
    for (const port of used) ports.add(String(port));
    return used.length > 0;
  });
  if (names.length === 0) return undefined;
  const uses = `${plural(names.length, 'uses', 'use')} ${plural(ports.size, 'hostPort', 'hostPorts')}`;
  return { reason: 'hostPort', detail: `${containersNamed(names)} ${uses} ${sorted(ports).join(', ')}` };
};

/** Reports probes and lifecycle handlers with a host: the kubelet would send these requests from the node. */
export const probeHosts: PodCheck = (pod) => {
  const hosts = new Set<string>();
  const names = containersWhere(pod, ({ container }) => {
    const handlers = [
      ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((field) => objectAt(container, field)),
      ...['postStart', 'preStop'].map((field) => objectAt(container, 'lifecycle', field)),
    ].filter((handler) => handler !== undefined);
    const used = handlers
      .flatMap((handler) => [textAt(handler, 'httpGet', 'host'), textAt(handler, 'tcpSocket', 'host')])
      .filter((host) => host !== '');
    for (const host of used) hosts.add(host);
    return used.length > 0;
  });
  if (names.length === 0) return undefined;
  const different = sorted(names);
  const what = plural(hosts.size, 'probe or lifecycle host', 'probe or lifecycle hosts');
  return {
    reason: 'probe or lifecycle host',
    detail: `${containersNamed(different)} ${plural(different.length, 'uses', 'use')} ${what} ${sortedInQuotes(hosts)}`,
  };
};

export const privileged: PodCheck = (pod) => {
  const names = containersWhere(pod, ({ security }) => security?.['privileged'] === true);
  if (names.length === 0) return undefined;
  return { reason: 'privileged', detail: `${containersNamed(names)} must not set securityContext.privileged=true` };
};

export const procMount: PodCheck = (pod) => {
  const types = new Set<string>();
  const names = containersWhere(pod, ({ security }) => {
    const type = security?.['procMount'];
    if (typeof type !== 'string' || type === 'Default') return false;
    types.add(type);
    return true;
  });
  if (names.length === 0) return undefined;
  const detail = `${containersNamed(names)} must not set securityContext.procMount to ${sortedInQuotes(types)}`;
  return { reason: 'procMount', detail };
};

export const procMountOutsideUserNamespace: PodCheck = (pod) => (hasUserNamespace(pod) ? undefined : procMount(pod));

export function seLinuxOptions(allowedTypes: readonly string[]): PodCheck {
  return (pod) => {
    const types = new Set<string>();
    let user = false;
    let role = false;
    const isBad = (security: JsonObject | undefined): boolean => {
      const options = security === undefined ? undefined : objectAt(security, 'seLinuxOptions');
      if (options === undefined) return false;
      const type = textAt(options, 'type');
      const hasType = type !== '' && !allowedTypes.includes(type);
      const hasUser = textAt(options, 'user') !== '';
      const hasRole = textAt(options, 'role') !== '';
      if (hasType) types.add(type);
      user ||= hasUser;
      role ||= hasRole;
      return hasType || hasUser || hasRole;
    };
    const who = setters(
      isBad(pod.security),
      containersWhere(pod, ({ security }) => isBad(security)),
    );
    if (who === '') return undefined;
    const what: string[] = [];
    if (types.size > 0) what.push(`${plural(types.size, 'type', 'types')} ${sortedInQuotes(types)}`);
    if (user) what.push('user may not be set');
    if (role) what.push('role may not be set');
    return {
      reason: 'seLinuxOptions',
      detail: `${who} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`,
    };
  };
}

/** Checks the annotations that preceded the seccompProfile field before 1.19. */
export const seccompAnnotations: PodCheck = (pod) => {
  const forbidden = new Set<string>();
  const keys = [SECCOMP_POD_ANNOTATION, ...pod.containers.map(({ name }) => SECCOMP_CONTAINER_ANNOTATION + name)];
  for (const key of keys) {
    const value = pod.annotations[key];
    if (value !== undefined && !isAllowedSeccomp(value)) forbidden.add(`${key}=${quote(value)}`);
  }
  if (forbidden.size === 0) return undefined;
  const what = plural(forbidden.size, 'annotation', 'annotations');
  return { reason: 'seccompProfile', detail: `forbidden ${what} ${sorted(forbidden).join(', ')}` };
};

function isAllowedSeccomp(profile: string): boolean {
  return profile === 'runtime/default' || profile === 'docker/default' || profile.startsWith('localhost/');
}

export const seccompProfile: PodCheck = (pod) => badSeccomp(pod);

/** Reports profile types other than RuntimeDefault and Localhost. */
export function badSeccomp(pod: CheckedPod): Violation | undefined {
  const values = new Set<string>();
  const isBad = (security: JsonObject | undefined): boolean => {
    const type = seccompType(security);
    if (type === undefined || isGoodSeccomp(type)) return false;
    values.add(type);
    return true;
  };
  const who = setters(
    isBad(pod.security),
    containersWhere(pod, ({ security }) => isBad(security)),
  );
  if (who === '') return undefined;
  const detail = `${who} must not set securityContext.seccompProfile.type to ${sortedInQuotes(values)}`;
  return { reason: 'seccompProfile', detail };
}

/** Returns undefined if no profile is set. */
export function seccompType(security: JsonObject | undefined): string | undefined {
  const profile = security === undefined ? undefined : objectAt(security, 'seccompProfile');
  return profile === undefined ? undefined : textAt(profile, 'type');
}

export function isGoodSeccomp(type: string | undefined): boolean {
  return type === 'Localhost' || type === 'RuntimeDefault';
}

export function sysctls(allowed: readonly string[]): PodCheck {
  return ({ security }) => {
    const set = security === undefined ? [] : objectsAt(security, 'sysctls').map((item) => textAt(item, 'name'));
    const forbidden = set.filter((name) => !allowed.includes(name));
    return forbidden.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: forbidden.join(', ') };
  };
}

export const windowsHostProcess: PodCheck = (pod) => {
  const isHost = (security: JsonObject | undefined): boolean =>
    security !== undefined && objectAt(security, 'windowsOptions')?.['hostProcess'] === true;
  const who = setters(
    isHost(pod.security),
    containersWhere(pod, ({ security }) => isHost(security)),
  );
  if (who === '') return undefined;
  return { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
};
