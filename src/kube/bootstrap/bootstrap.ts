/**
 * The bootstrap writes: system namespaces, the bootstrap policy, and two ConfigMaps.
 * Invariant: every start updates these objects and removes nothing that was added to them. All writes begin in one
 * turn, so an embedded store commits them together.
 */

import { objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { isAlreadyExists, isConflict } from '../../apimachinery/status/status.ts';
import type { Clock } from '../../base/clock.ts';
import { equalJson, type JsonObject } from '../../base/json-value.ts';
import type { Logger } from '../../base/logger.ts';
import type { OwnWriter } from '../../server/own/own-writer.ts';
import { bootstrapPolicy } from '../rbac/bootstrap/bootstrap-policy.ts';
import { type PolicyStep, planPolicy } from '../rbac/bootstrap/plan-policy.ts';
import {
  AUTHENTICATION_CONFIG_MAP,
  type AuthenticationTrust,
  authenticationData,
} from './authentication-config-map.ts';

export const SYSTEM_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease', 'default'] as const;

/** Its data contains the date since which the use of legacy tokens is recorded. */
const TOKEN_TRACKING_CONFIG_MAP = 'kube-apiserver-legacy-service-account-token-tracking';

/** The ConfigMaps that bootstrap reads. */
export const BOOTSTRAP_CONFIG_MAPS: readonly { readonly namespace: string; readonly name: string }[] = [
  AUTHENTICATION_CONFIG_MAP,
  { namespace: AUTHENTICATION_CONFIG_MAP.namespace, name: TOKEN_TRACKING_CONFIG_MAP },
];

/** The stored objects and the writer of one resource. */
export interface BootstrapTarget {
  readonly writer: OwnWriter;
  /** Returns the stored object, which must not be modified, and undefined if there is none. */
  stored(namespace: string, name: string): JsonObject | undefined;
}

export interface BootstrapOptions {
  readonly namespaces: BootstrapTarget;
  readonly configMaps: BootstrapTarget;
  readonly roles: BootstrapTarget;
  readonly roleBindings: BootstrapTarget;
  readonly clusterRoles: BootstrapTarget;
  readonly clusterRoleBindings: BootstrapTarget;
  /** Further writes, which begin in the same turn. */
  readonly more: readonly (() => Promise<void>)[];
  readonly trust: AuthenticationTrust;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The `stored` methods must return the current state. Rejects if an object cannot be written. */
export async function bootstrap(options: BootstrapOptions): Promise<void> {
  const writes = [
    ...SYSTEM_NAMESPACES.filter((name) => options.namespaces.stored('', name) === undefined).map((name) =>
      create(options.namespaces, { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }),
    ),
    ...policyWrites(options),
    writeConfigMap(options, AUTHENTICATION_CONFIG_MAP.name, (present) =>
      authenticationData(present, options.trust, options.clock.now()),
    ),
    writeConfigMap(options, TOKEN_TRACKING_CONFIG_MAP, (present) =>
      present['since'] === undefined ? { since: new Date(options.clock.now()).toISOString().slice(0, 10) } : present,
    ),
    ...options.more.map((write) => write()),
  ];
  await Promise.all(writes);
}

function policyWrites(options: BootstrapOptions): readonly Promise<void>[] {
  const { roles, roleBindings, clusterRoles, clusterRoleBindings, logger } = options;
  const plan = planPolicy(bootstrapPolicy(), {
    clusterRole: (name) => clusterRoles.stored('', name),
    clusterRoleBinding: (name) => clusterRoleBindings.stored('', name),
    role: (namespace, name) => roles.stored(namespace, name),
    roleBinding: (namespace, name) => roleBindings.stored(namespace, name),
  });
  for (const { object, missingRules, missingSubjects } of plan.skipped)
    logger.warn('a bootstrap RBAC object lacks permissions; its annotation autoupdate=false keeps it unchanged', {
      kind: object.kind,
      name: object.metadata?.name,
      missingRules: missingRules.length,
      missingSubjects: missingSubjects.length,
    });
  const targets: Readonly<Record<string, BootstrapTarget>> = {
    Role: roles,
    RoleBinding: roleBindings,
    ClusterRole: clusterRoles,
    ClusterRoleBinding: clusterRoleBindings,
  };
  return plan.writes.map((step) => runStep(targets[step.object.kind ?? ''] as BootstrapTarget, step));
}

async function runStep(target: BootstrapTarget, { operation, object }: PolicyStep): Promise<void> {
  const wanted = object as JsonObject;
  if (operation === 'update') return update(target, wanted);
  if (operation === 'recreate') await remove(target, wanted);
  return create(target, wanted);
}

async function writeConfigMap(
  options: BootstrapOptions,
  name: string,
  dataOf: (present: Readonly<Record<string, string>>) => Readonly<Record<string, string>>,
): Promise<void> {
  const { namespace } = AUTHENTICATION_CONFIG_MAP;
  const present = options.configMaps.stored(namespace, name);
  const before = (present === undefined ? {} : (objectAt(present, 'data') ?? {})) as Record<string, string>;
  const data = { ...dataOf(before) };
  if (present !== undefined && equalJson(before, data)) return;
  if (present !== undefined) return update(options.configMaps, { ...present, data });
  return create(options.configMaps, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace }, data });
}

/** Does nothing if the object exists: another server on the same storage may have created it. */
async function create({ writer }: BootstrapTarget, object: JsonObject): Promise<void> {
  try {
    await writer.create(object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Does nothing if the object has changed since it was read: another server may have updated it. */
async function update({ writer }: BootstrapTarget, object: JsonObject): Promise<void> {
  try {
    await writer.replace(object);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}

async function remove({ writer, stored }: BootstrapTarget, object: JsonObject): Promise<void> {
  const target = { namespace: textAt(object, 'metadata', 'namespace'), name: textAt(object, 'metadata', 'name') };
  const present = stored(target.namespace, target.name);
  await writer.deleteIfPresent(target, present === undefined ? undefined : textAt(present, 'metadata', 'uid'));
}
