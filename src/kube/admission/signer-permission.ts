/** Who may act for a signer. Invariant: a permission is one for the resource `signers` by the virtual verbs approve, sign and attest, for the whole name or for its domain. */
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
