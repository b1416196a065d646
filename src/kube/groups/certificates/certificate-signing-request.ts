/**
 * The kind CertificateSigningRequest. The server writes the requesting user into the spec, which is immutable. Only
 * `/approval` writes the conditions Approved and Denied, only `/status` writes the certificate, and neither can be
 * removed.
 */

import { fieldAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { formatHumanDuration } from '../../../apimachinery/scalars/human-duration.ts';
import { formatTime, instantFromMillis } from '../../../apimachinery/scalars/time.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import { resetting } from '../../../server/resource/reset-fields.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import type { Strategy, StrategyContext } from '../../../server/resource/strategy.ts';
import { takeField } from '../../../server/resource/strategy-fields.ts';
import { updateSubresource } from '../../../server/resource/update-subresource.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion, statusSubresource } from '../../shared/built-in.ts';
import { SignatureChecks } from './signature-checks.ts';
import {
  APPROVED,
  conditionsOf,
  DENIED,
  FAILED,
  signatureProblem,
  validateRequest,
  validateRequestApprovalUpdate,
  validateRequestStatusUpdate,
  validateRequestUpdate,
} from './validate-signing-request.ts';

export const certificateSigningRequestTable: () => TableDefinition = tableOf(
  NAME,
  AGE,
  column('SignerName', 'Who is to sign.', (object) => textAt(object, 'spec', 'signerName') || '<none>'),
  column('Requestor', 'Who asked.', (object) => textAt(object, 'spec', 'username')),
  column('RequestedDuration', 'How long the certificate should last.', (object) => {
    const seconds = fieldAt(object, 'spec', 'expirationSeconds');
    return typeof seconds === 'number' ? formatHumanDuration(seconds * 1000) : '<none>';
  }),
  column('Condition', 'What became of it.', (object) => {
    const types = conditionsOf(object).map((condition) => textAt(condition, 'type'));
    const decision = types.includes(DENIED) ? DENIED : types.includes(APPROVED) ? APPROVED : 'Pending';
    const failed = types.includes(FAILED) ? `,${FAILED}` : '';
    return `${decision}${failed}${textAt(object, 'status', 'certificate') === '' ? '' : ',Issued'}`;
  }),
);

export function certificateSigningRequestResource(): KubeResource {
  const signatures = new SignatureChecks();
  const strategy: Strategy = strategyWithDefaults({
    resetFields: resetting(['spec'], ['status']),
    prepareForCreate: prepareRequestForCreate,
    validate: (object, { request }) => validateRequest(object, signatures.problemOf(request)),
    prepareForUpdate: prepareRequestForUpdate,
    validateUpdate: validateRequestUpdate,
  });
  return {
    definition: storedResource({
      plural: 'certificatesigningrequests',
      shortNames: ['csr'],
      scope: 'Cluster',
      versions: [
        builtInVersion({
          group: 'certificates.k8s.io',
          version: 'v1',
          kind: 'CertificateSigningRequest',
          table: certificateSigningRequestTable,
          selectableFields: ['spec.signerName'],
        }),
      ],
      strategy,
      subresources: [
        statusSubresource(strategy, {
          resetFields: resetting(['spec'], ['status', 'conditions']),
          prepareForUpdate: prepareRequestStatusForUpdate,
          validateUpdate: validateRequestStatusUpdate,
        }),
        updateSubresource('approval', {
          ...strategy,
          resetFields: resetting(['spec'], ['status', 'certificate']),
          prepareForUpdate: prepareRequestApprovalForUpdate,
          validateUpdate: validateRequestApprovalUpdate,
        }),
      ],
    }),
    wrapStore: ({ registry }) => signatures.wrap(registry, signatureProblem),
  };
}

/** Sets the requesting user, whatever the client sent. */
function prepareRequestForCreate(object: JsonObject, { request: { user } }: StrategyContext): void {
  const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...asked } = objectAt(object, 'spec') ?? {};
  const spec: JsonObject = asked;
  if (user.name !== '') spec['username'] = user.name;
  if (user.uid !== '') spec['uid'] = user.uid;
  if (user.groups.length > 0) spec['groups'] = [...user.groups];
  const extra = Object.entries(user.extra);
  if (extra.length > 0)
    spec['extra'] = Object.fromEntries(
      extra.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, values]) => [key, [...values]]),
    );
  object['spec'] = spec;
  object['status'] = {};
}

function prepareRequestForUpdate(object: JsonObject, old: JsonObject): void {
  takeField(object, old, 'spec');
  takeField(object, old, 'status');
}

/**
 * Restores the stored Approved and Denied conditions unless the update adds or removes one, which validation reports.
 */
function prepareRequestStatusForUpdate(object: JsonObject, old: JsonObject, context: StrategyContext): void {
  takeField(object, old, 'spec');
  const conditions = conditionsOf(object).map((condition) => ({ ...condition }));
  for (const type of [APPROVED, DENIED]) {
    const kept = conditionsOf(old).filter((condition) => condition['type'] === type);
    const places = conditions.flatMap((condition, i) => (condition['type'] === type ? [i] : []));
    if (kept.length === places.length)
      for (const [i, place] of places.entries()) conditions[place] = { ...(kept[i] as JsonObject) };
  }
  setConditions(object, conditions, old, context);
}

/** Keeps all of the stored status but its conditions. */
function prepareRequestApprovalForUpdate(object: JsonObject, old: JsonObject, context: StrategyContext): void {
  const conditions = conditionsOf(object).map((condition) => ({ ...condition }));
  takeField(object, old, 'spec');
  object['status'] = { ...objectAt(old, 'status') };
  setConditions(object, conditions, old, context);
}

function setConditions(
  object: JsonObject,
  conditions: readonly JsonObject[],
  old: JsonObject,
  { request }: StrategyContext,
): void {
  const now = formatTime(instantFromMillis(request.receivedAt));
  const since = new Map<string, string>();
  for (const condition of conditionsOf(old)) {
    const time = textAt(condition, 'lastTransitionTime');
    if (time !== '' && !since.has(stateOf(condition))) since.set(stateOf(condition), time);
  }
  for (const condition of conditions) {
    if (textAt(condition, 'lastUpdateTime') === '') condition['lastUpdateTime'] = now;
    if (textAt(condition, 'lastTransitionTime') !== '') continue;
    condition['lastTransitionTime'] = since.get(stateOf(condition)) ?? now;
  }
  const { conditions: _old, certificate, ...rest } = objectAt(object, 'status') ?? {};
  object['status'] = {
    ...(conditions.length === 0 ? undefined : { conditions: [...conditions] }),
    ...(certificate === undefined ? undefined : { certificate }),
    ...rest,
  };
}

function stateOf(condition: JsonObject): string {
  return `${textAt(condition, 'type')} ${textAt(condition, 'status')}`;
}
