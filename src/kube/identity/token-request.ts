/**
 * The `token` subresource of ServiceAccounts. It issues a token for an audience and a lifetime, optionally bound to an
 * object. Invariant: the account and the bound object exist when the token is signed.
 */
import { quote } from '../../apimachinery/go-format.ts';
import { formatGvk, gvkOf } from '../../apimachinery/meta/gvk.ts';
import { ensureObject, fieldAt, objectAt, textAt, textsAt } from '../../apimachinery/meta/object-fields.ts';
import { credentialId, type ObjectReference } from '../../apimachinery/meta/service-account-user.ts';
import { formatTime, instantFromMillis } from '../../apimachinery/scalars/time.ts';
import { StatusError } from '../../apimachinery/status/status.ts';
import {
  badRequest,
  conflict,
  internalError,
  invalid as invalidStatus,
} from '../../apimachinery/status/status-catalogue.ts';
import { type FieldIssue, invalid } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { Clock } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import {
  type BoundClaimsOptions,
  boundClaims,
  EXTENDED_EXPIRATION_SECONDS,
  WARN_ONLY_EXPIRATION_SECONDS,
} from '../../pki/service-account-claims.ts';
import type { TokenSigner } from '../../pki/service-account-tokens.ts';
import type { ObjectReader } from '../../server/own/object-reader.ts';
import type { SubresourceDefinition } from '../../server/resource/resource-definition.ts';
import type { CreateRequest, ResourceContext, WriteAnswer } from '../../server/resource/resource-store.ts';
import { ensureMeta } from '../../server/resource/strategy-fields.ts';
import type { VersionDefinition } from '../../server/resource/version-definition.ts';
import { AUTHENTICATION_GROUP } from '../groups/authentication/token-review.ts';
import type { KubeContext } from '../kube-context.ts';
import { builtInVersion } from '../shared/built-in.ts';
import { reviewAnswer } from '../shared/review-answer.ts';

const KIND = 'TokenRequest';
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS: number = 2 ** 32;
const DEFAULT_SECONDS = 3600;
const METADATA = FieldPath.of('metadata');
const ISSUED_CREDENTIAL_ANNOTATION = 'authentication.kubernetes.io/issued-credential-id';

export interface TokenRequestOptions {
  readonly signer: TokenSigner;
  /** The audiences of a token if the request names none. */
  readonly apiAudiences: readonly string[];
  /** `--service-account-max-token-expiration`. 0 sets no limit besides that of validation. */
  readonly maxExpirationSeconds: number;
  /** `--service-account-extend-token-expiration`. */
  readonly extendExpiration: boolean;
  readonly clock: Clock;
  /** Reads ServiceAccounts, Secrets, Pods and Nodes. Used by requests only, after the stores are open. */
  readonly kube: Pick<KubeContext, 'reader'>;
}

export const TOKEN_REQUEST: VersionDefinition = builtInVersion({
  group: AUTHENTICATION_GROUP,
  version: 'v1',
  kind: KIND,
  stored: false,
  setDefaults: (object) => {
    const spec = ensureObject(object, 'spec');
    if (fieldAt(spec, 'expirationSeconds') !== undefined) return;
    // The reference writes boundObjectRef after expirationSeconds.
    const { boundObjectRef, ...rest } = spec;
    object['spec'] = { ...rest, expirationSeconds: DEFAULT_SECONDS, boundObjectRef: boundObjectRef ?? null };
  },
});

export function tokenSubresource(options: TokenRequestOptions): SubresourceDefinition {
  return {
    name: 'token',
    version: TOKEN_REQUEST,
    store: () => ({
      create: (context, object, request) => createToken(options, context, object, request),
      // metadata.uid of the body names the expected uid of the account.
      keepsSystemFields: true,
    }),
  };
}

async function createToken(
  options: TokenRequestOptions,
  context: ResourceContext,
  object: JsonObject,
  request: CreateRequest,
): Promise<WriteAnswer> {
  checkNames(context, object);
  const account = await options.kube.reader('serviceaccounts')(context.namespace, context.name);
  if ('status' in account) throw new StatusError(account.status);
  const uid = textAt(account.object, 'metadata', 'uid');
  const now = options.clock.now();
  fillRequest(options, context, object, uid, now);
  const issues = validateTokenRequest(object);
  if (issues.length > 0) throw new StatusError(invalidStatus({ group: AUTHENTICATION_GROUP, kind: KIND }, '', issues));
  await request.validate(object);
  const bound = await boundObjects(options, context, object);

  const spec = ensureObject(object, 'spec');
  const expirationSeconds = shortened(options, context, Number(fieldAt(spec, 'expirationSeconds')));
  spec['expirationSeconds'] = expirationSeconds;
  const { claims, tokenId } = boundClaims({
    serviceAccount: { namespace: context.namespace, name: context.name, uid },
    ...bound,
    audiences: textsAt(spec, 'audiences'),
    ...lifetime(options, bound, expirationSeconds, textsAt(spec, 'audiences')),
    now,
  });
  const token = await sign(options.signer, claims);
  context.request.annotate(ISSUED_CREDENTIAL_ANNOTATION, credentialId(tokenId));
  const expirationTimestamp = formatTime(instantFromMillis(now + expirationSeconds * 1000));
  return reviewAnswer(TOKEN_REQUEST, { ...object, status: { token, expirationTimestamp } });
}

/** Throws if name or namespace of the body differ from those of the request path. */
function checkNames(context: ResourceContext, object: JsonObject): void {
  for (const [field, expected] of [
    ['name', context.name],
    ['namespace', context.namespace],
  ] as const) {
    const given = textAt(object, 'metadata', field);
    if (given === '' || given === expected) continue;
    const issue = invalid(METADATA.child(field), given, `must match the service account ${field} if specified`);
    throw new StatusError(invalidStatus({ group: AUTHENTICATION_GROUP, kind: KIND }, context.name, [issue]));
  }
}

function fillRequest(
  options: TokenRequestOptions,
  context: ResourceContext,
  object: JsonObject,
  uid: string,
  now: number,
): void {
  const asked = textAt(object, 'metadata', 'uid');
  if (asked !== '' && asked !== uid)
    throw new StatusError(
      conflict(
        { group: AUTHENTICATION_GROUP, resource: KIND },
        context.name,
        `the UID in the token request (${asked}) does not match the UID of the service account (${uid})`,
      ),
    );
  const { name: _name, namespace: _namespace, uid: _uid, creationTimestamp: _time, ...rest } = ensureMeta(object);
  object['metadata'] = {
    name: context.name,
    namespace: context.namespace,
    uid,
    creationTimestamp: formatTime(instantFromMillis(now)),
    ...rest,
  };
  const spec = ensureObject(object, 'spec');
  if (textsAt(spec, 'audiences').length === 0) spec['audiences'] = [...options.apiAudiences];
}

export function validateTokenRequest(object: JsonObject): FieldIssue[] {
  const path = FieldPath.of('spec', 'expirationSeconds');
  const seconds = fieldAt(object, 'spec', 'expirationSeconds');
  if (typeof seconds !== 'number' && typeof seconds !== 'bigint') return [];
  if (seconds < SHORTEST_SECONDS) return [invalid(path, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > LONGEST_SECONDS) return [invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}

type Bound = Pick<BoundClaimsOptions, 'pod' | 'secret' | 'node'>;

/** Reads the object that the token is bound to: a Secret, a Node, or a Pod together with its node. */
async function boundObjects(
  { kube }: TokenRequestOptions,
  context: ResourceContext,
  object: JsonObject,
): Promise<Bound> {
  const reference = objectAt(object, 'spec', 'boundObjectRef');
  if (reference === undefined) return {};
  const { namespace } = context;
  const gvk = gvkOf(textAt(reference, 'apiVersion'), textAt(reference, 'kind'));
  const kind = gvk.group === '' ? gvk.kind : '';
  switch (kind) {
    case 'Secret':
      return { secret: referenceTo(await find(kube.reader('secrets'), namespace, reference), reference) };
    case 'Node':
      return { node: referenceTo(await find(kube.reader('nodes'), '', reference), reference) };
    case 'Pod': {
      const pod = await find(kube.reader('pods'), namespace, reference);
      if (textAt(pod, 'spec', 'serviceAccountName') !== context.name)
        throw new StatusError(
          badRequest(
            `cannot bind token for serviceaccount ${quote(context.name)} to pod running with different serviceaccount name.`,
          ),
        );
      const node = await nodeOf(kube.reader('nodes'), textAt(pod, 'spec', 'nodeName'));
      return { pod: referenceTo(pod, reference), ...(node === undefined ? undefined : { node }) };
    }
    default:
      throw new StatusError(badRequest(`cannot bind token to object of type ${formatGvk(gvk)}`));
  }
}

async function find(reader: ObjectReader, namespace: string, reference: JsonObject): Promise<JsonObject> {
  const name = textAt(reference, 'name');
  if (name === '') throw new StatusError(badRequest('Name parameter required.'));
  const answer = await reader(namespace, name);
  if ('status' in answer) throw new StatusError(answer.status);
  return answer.object;
}

/** Throws a conflict if the reference has the uid of another object. */
function referenceTo(object: JsonObject, reference: JsonObject): ObjectReference {
  const [name, uid] = [textAt(object, 'metadata', 'name'), textAt(object, 'metadata', 'uid')];
  const asked = textAt(reference, 'uid');
  if (asked !== '' && asked !== uid)
    throw new StatusError(
      conflict(
        { group: '', resource: textAt(reference, 'kind') },
        name,
        `the UID in the bound object reference (${asked}) does not match the UID in record. The object might have been deleted and then recreated`,
      ),
    );
  return { name, uid };
}

/** Returns the node of a pod, for information only. The uid is '' if the node does not exist. */
async function nodeOf(nodes: ObjectReader, name: string): Promise<ObjectReference | undefined> {
  if (name === '') return undefined;
  const node = await nodes('', name);
  return { name, uid: 'object' in node ? textAt(node.object, 'metadata', 'uid') : '' };
}

/**
 * Computes the lifetime in the claims. A token that a kubelet mounts is renewed every hour. With `extendExpiration` it
 * is valid for a year, for clients that never read it again, and its use is warned about after the requested time.
 */
function lifetime(
  { apiAudiences, extendExpiration }: TokenRequestOptions,
  { pod }: Bound,
  seconds: number,
  audiences: readonly string[],
): Pick<BoundClaimsOptions, 'expirationSeconds' | 'warnAfterSeconds'> {
  const isMounted = pod !== undefined && seconds === WARN_ONLY_EXPIRATION_SECONDS;
  if (!extendExpiration || !isMounted || !audiences.every((audience) => apiAudiences.includes(audience)))
    return { expirationSeconds: seconds };
  return { expirationSeconds: EXTENDED_EXPIRATION_SECONDS, warnAfterSeconds: seconds };
}

function shortened(options: TokenRequestOptions, context: ResourceContext, seconds: number): number {
  const { maxExpirationSeconds } = options;
  if (maxExpirationSeconds <= 0 || seconds <= maxExpirationSeconds) return seconds;
  context.request.warn(`requested expiration of ${seconds} seconds shortened to ${maxExpirationSeconds} seconds`);
  return maxExpirationSeconds;
}

async function sign(signer: TokenSigner, claims: JsonObject): Promise<string> {
  try {
    return await signer.sign(claims);
  } catch (error) {
    throw new StatusError(internalError(`failed to generate token: ${toError(error).message}`), { cause: error });
  }
}
