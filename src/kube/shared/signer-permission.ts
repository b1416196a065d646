/**
 * The permission to act for a signer: the verb approve, sign or attest on the virtual resource `signers`, with the name
 * of the signer or with `<domain>/*`.
 */
import type { UserInfo } from '../../apimachinery/meta/user-info.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Authorizer } from '../../server/authorizer.ts';

export function mayActForSigner(
  authorizer: Authorizer,
  user: UserInfo,
  verb: string,
  signer: string,
): MaybePromise<boolean> {
  const ask = (name: string): MaybePromise<boolean> =>
    andThen(
      authorizer.authorize({
        user,
        verb,
        name,
        namespace: '',
        apiGroup: 'certificates.k8s.io',
        apiVersion: '*',
        resource: 'signers',
        subresource: '',
        path: '',
        isResourceRequest: true,
      }),
      ({ decision }) => decision === 'allow',
    );
  return andThen(ask(signer), (allowed) => allowed || ask(`${signer.split('/')[0] ?? ''}/*`));
}
