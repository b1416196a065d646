/**
 * What a server contains from its first start: system namespaces, the bootstrap policy, and whom extension servers may trust. Invariant: every start brings it up to date
 * and takes away nothing that somebody added; all writes are made at once, so that an embedded store needs one commit for them.
 */

import { objectAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { isAlreadyExists, isConflict } from '../../apimachinery/status/status.ts';
import type { Clock } from '../../base/clock.ts';
import { BugError } from '../../base/errors.ts';
import { cloneJson, equalJson, type JsonObject } from '../../base/json-value.ts';
import type { Logger } from '../../base/logger.ts';
import { ownContext } from '../../server/own/own-context.ts';
import type { StoredResource } from '../../server/resource/open-resource.ts';
import type { UpdateRequest } from '../../server/resource/resource-store.ts';
import { bootstrapPolicy } from '../rbac/bootstrap/bootstrap-policy.ts';
import { type PolicyStep, planPolicy } from '../rbac/bootstrap/plan-policy.ts';
import {
  AUTHENTICATION_CONFIG_MAP,
  type AuthenticationTrust,
  authenticationData,
} from './authentication-config-map.ts';

export const SYSTEM_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease', 'default'] as const;

/** Says since when the use of tokens that are kept in Secrets is noted on them. */
const TOKEN_TRACKING_CONFIG_MAP = 'kube-apiserver-legacy-service-account-token-tracking';

/** The ConfigMaps that bootstrap asks for. */
export const BOOTSTRAP_CONFIG_MAPS: readonly { readonly namespace: string; readonly name: string }[] = [
  AUTHENTICATION_CONFIG_MAP,
  { namespace: AUTHENTICATION_CONFIG_MAP.namespace, name: TOKEN_TRACKING_CONFIG_MAP },
];

/** A resource as bootstrap sees it: what is stored, and where to write. */
export interface BootstrapTarget {
  readonly resource: StoredResource;
  /** Undefined if there is none; shared, nobody changes it. */
  stored(namespace: string, name: string): JsonObject | undefined;
}

export interface BootstrapOptions {
  readonly namespaces: BootstrapTarget;
  readonly configMaps: BootstrapTarget;
  readonly roles: BootstrapTarget;
  readonly roleBindings: BootstrapTarget;
  readonly clusterRoles: BootstrapTarget;
  readonly clusterRoleBindings: BootstrapTarget;
  /** Further writes, begun with the others. */
  readonly more: readonly (() => Promise<void>)[];
  readonly trust: AuthenticationTrust;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What `stored` says is current. Rejects if something cannot be written. */
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
    logger.warn('a bootstrap object opts out of being brought up to date', {
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
  return plan.writes.map((step) => carryOut(targets[step.object.kind ?? ''] as BootstrapTarget, step));
}

async function carryOut(target: BootstrapTarget, { operation, object }: PolicyStep): Promise<void> {
  const wanted = cloneJson(object as JsonObject);
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
  if (present !== undefined) return update(options.configMaps, { ...cloneJson(present), data });
  return create(options.configMaps, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace }, data });
}

const NO_CHECK = (): undefined => undefined;
const FIELD_MANAGER = 'kube-apiserver';
const UPDATE: UpdateRequest = {
  dryRun: false,
  fieldManager: FIELD_MANAGER,
  forceAllowCreate: false,
  validateCreate: NO_CHECK,
  validateUpdate: NO_CHECK,
};

/** Another server on the same storage may have been quicker. */
async function create(target: BootstrapTarget, object: JsonObject): Promise<void> {
  const { store, version, ready } = prepare(target, object);
  const context = ownContext(target.resource.host.clock, 'create', {
    version,
    namespace: textAt(ready, 'metadata', 'namespace'),
    name: '',
  });
  try {
    await store.create?.(context, ready, { dryRun: false, fieldManager: FIELD_MANAGER, validate: NO_CHECK });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

async function update(target: BootstrapTarget, object: JsonObject): Promise<void> {
  const { store, version, ready } = prepare(target, object);
  const context = contextOf('update', target, object);
  try {
    await store.update?.({ ...context, version }, { apply: () => cloneJson(ready), preconditions: undefined }, UPDATE);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}

async function remove(target: BootstrapTarget, object: JsonObject): Promise<void> {
  const context = contextOf('delete', target, object);
  const stored = target.stored(context.namespace, context.name);
  const uid = stored === undefined ? undefined : textAt(stored, 'metadata', 'uid');
  await target.resource.store.delete?.(context, {
    options: {
      gracePeriodSeconds: undefined,
      preconditions: { uid, resourceVersion: undefined },
      orphanDependents: undefined,
      propagationPolicy: undefined,
      dryRun: [],
      ignoreStoreReadErrorWithClusterBreakingPotential: undefined,
    },
    validate: NO_CHECK,
  });
}

function contextOf(verb: string, target: BootstrapTarget, object: JsonObject) {
  const { version } = versionOf(target);
  return ownContext(target.resource.host.clock, verb, {
    version,
    namespace: textAt(object, 'metadata', 'namespace'),
    name: textAt(object, 'metadata', 'name'),
  });
}

/** The object as an endpoint would hand it to the store: in the form of its type, with its defaults. */
function prepare(target: BootstrapTarget, object: JsonObject) {
  const { store, version } = versionOf(target);
  const normalized = version.normalize(object);
  if (!normalized.ok) throw new BugError(`a bootstrap object is no ${version.kind}: ${normalized.message}`);
  version.setDefaults?.(normalized.object);
  return { store, version, ready: normalized.object };
}

function versionOf({ resource: { definition, store } }: BootstrapTarget) {
  const { storageVersion } = definition;
  if (storageVersion === undefined) throw new BugError(`${definition.plural} are not stored`);
  return { store, version: storageVersion };
}
