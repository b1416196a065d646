/**
 * The plugin ServiceAccount. It sets the service account of a pod, mounts a token, and adds the account's pull secrets.
 * Invariant: the account of a stored pod existed when the pod was created. Mirror pods refer to no account and no
 * Secret.
 */

import { refusal } from '../../../admission/refusal.ts';
import { annotationsOf, nameOf } from '../../../apimachinery/meta/meta.ts';
import { objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { notFound, unknown } from '../../../apimachinery/status/status-catalogue.ts';
import { type Clock, sleep } from '../../../base/clock.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../../server/admission.ts';
import type { ObjectAnswer, ObjectReader } from '../../../server/own/object-reader.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { DEFAULT_ACCOUNT } from '../../identity/default-accounts.ts';
import { isMirrorPod } from '../pod/admitted-pod.ts';
import { disallowedEphemeralSecret, disallowedSecret, hasSecretReferences } from './secret-references.ts';
import { mountToken } from './token-volume.ts';

export interface ServiceAccountAdmission {
  readonly accounts: ObjectReader;
  readonly clock: Clock;
  /** Returns an integer from 0 to `below` - 1. */
  readonly random: (below: number) => number;
}

/**
 * A missing `default` account is looked up again, because a controller may be about to create it. As in the reference
 * it is read 10 times, with pauses of 100 to 199 ms, and other accounts once.
 */
const DEFAULT_ACCOUNT_READS = 10;
const MIN_PAUSE_MS = 100;

const ENFORCE_MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';
/** The texts that Go's `strconv.ParseBool` accepts as true. */
const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

export function serviceAccount(options: ServiceAccountAdmission): AdmissionPlugin {
  const { random } = options;
  return {
    name: 'ServiceAccount',
    resources: ['pods'],
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    admit: (attributes) => {
      const { object: pod, operation } = attributes;
      if (pod === undefined || operation !== 'CREATE' || attributes.subresource !== '') return undefined;
      if (isMirrorPod(pod)) return checkMirrorPod(attributes, pod);
      const spec = specOf(pod);
      if (textAt(spec, 'serviceAccountName') === '') {
        spec['serviceAccountName'] = DEFAULT_ACCOUNT;
        spec['serviceAccount'] = DEFAULT_ACCOUNT;
      }
      return withAccount(options, attributes, pod, (account) => {
        if (automounts(account, spec)) mountToken(spec, random);
        const pullSecrets = objectsAt(account, 'imagePullSecrets');
        if (objectsAt(spec, 'imagePullSecrets').length === 0 && pullSecrets.length > 0)
          spec['imagePullSecrets'] = pullSecrets.map((secret) => ({ name: textAt(secret, 'name') }));
        checkSecrets(attributes, account, spec);
      });
    },
    validate: (attributes) => {
      const { object: pod, operation, subresource } = attributes;
      if (pod === undefined) return undefined;
      if (operation === 'UPDATE' && subresource === 'ephemeralcontainers')
        return withAccount(options, attributes, pod, (account) => checkEphemeralSecrets(account, pod));
      if (operation !== 'CREATE' || subresource !== '') return undefined;
      if (isMirrorPod(pod)) return checkMirrorPod(attributes, pod);
      return withAccount(options, attributes, pod, (account) => checkSecrets(attributes, account, specOf(pod)));
    },
  };
}

function withAccount(
  options: ServiceAccountAdmission,
  attributes: AdmissionAttributes,
  pod: JsonObject,
  use: (account: JsonObject) => void,
): MaybePromise<void> {
  const { namespace } = attributes;
  const name = textAt(specOf(pod), 'serviceAccountName');
  if (name === '') throw refusal(attributes, `no service account specified for pod ${namespace}/${nameOf(pod)}`);
  return andThen(readAccount(options, namespace, name), (answer) => {
    if ('object' in answer) return use(answer.object);
    const status =
      answer.status.code === 404 ? notFound({ group: '', resource: 'serviceaccount' }, name) : answer.status;
    throw refusal(attributes, `error looking up service account ${namespace}/${name}: ${status.message ?? ''}`);
  });
}

function readAccount(options: ServiceAccountAdmission, namespace: string, name: string): MaybePromise<ObjectAnswer> {
  return andThen(options.accounts(namespace, name), (answer) =>
    isMissing(answer) && name === DEFAULT_ACCOUNT ? readAgain(options, namespace, answer) : answer,
  );
}

async function readAgain(
  { accounts, clock, random }: ServiceAccountAdmission,
  namespace: string,
  first: ObjectAnswer,
): Promise<ObjectAnswer> {
  const pause = MIN_PAUSE_MS + random(100);
  let answer = first;
  for (let reads = 1; reads < DEFAULT_ACCOUNT_READS && isMissing(answer); reads++) {
    await sleep(clock, pause);
    answer = await accounts(namespace, DEFAULT_ACCOUNT);
  }
  return answer;
}

function isMissing(answer: ObjectAnswer): boolean {
  return 'status' in answer && answer.status.code === 404;
}

function checkMirrorPod(attributes: AdmissionAttributes, pod: JsonObject): undefined {
  const spec = specOf(pod);
  if (textAt(spec, 'serviceAccountName') !== '')
    throw refusal(attributes, 'a mirror pod may not reference service accounts');
  if (hasSecretReferences(spec)) throw refusal(attributes, 'a mirror pod may not reference secrets');
  for (const volume of objectsAt(spec, 'volumes'))
    if (objectsAt(volume, 'projected', 'sources').some((source) => source['serviceAccountToken'] !== undefined))
      throw refusal(attributes, 'a mirror pod may not use ServiceAccountToken volume projections');
  return undefined;
}

/** The pod's field takes precedence over the account's. Default true. */
function automounts(account: JsonObject, spec: JsonObject): boolean {
  return (spec['automountServiceAccountToken'] ?? account['automountServiceAccountToken'] ?? true) === true;
}

function enforcesSecrets(account: JsonObject): boolean {
  return TRUE.has(annotationsOf(account)[ENFORCE_MOUNTABLE] ?? '');
}

function checkSecrets(attributes: AdmissionAttributes, account: JsonObject, spec: JsonObject): void {
  if (!enforcesSecrets(account)) return;
  const problem = disallowedSecret(account, spec);
  if (problem !== undefined) throw refusal(attributes, problem);
}

/** Throws a 500, as the reference does. */
function checkEphemeralSecrets(account: JsonObject, pod: JsonObject): void {
  if (!enforcesSecrets(account)) return;
  const problem = disallowedEphemeralSecret(account, specOf(pod));
  if (problem !== undefined) throw new StatusError(unknown(problem));
}
