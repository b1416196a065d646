/** Authorization of updates of a PodCertificateRequest's status. */
import { quote } from '../../../apimachinery/go-format.ts';
import { fieldAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { StatusError } from '../../../apimachinery/status/status.ts';
import { invalid } from '../../../apimachinery/status/status-catalogue.ts';
import { forbidden } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { equalJson } from '../../../base/json-value.ts';
import { andThen } from '../../../base/maybe-promise.ts';
import type { Authorizer } from '../../../server/authorizer.ts';
import type { SubresourceDefinition } from '../../../server/resource/resource-definition.ts';
import { mayActForSigner } from '../../shared/signer-permission.ts';

const SIGNER = FieldPath.of('spec', 'signerName');

/**
 * Returns the subresource with an authorization check: an update that changes the status needs the verb `sign` on the
 * request's signer.
 */
export function withSignerCheck(status: SubresourceDefinition, authorizer: Authorizer): SubresourceDefinition {
  return {
    ...status,
    store: (parent, host) => {
      const store = status.store(parent, host);
      const { update } = store;
      if (update === undefined) return store;
      return {
        ...store,
        update: (context, change, request) =>
          update.call(store, context, change, {
            ...request,
            validateUpdate: (object, old) => {
              if (equalJson(fieldAt(object, 'status') ?? {}, fieldAt(old, 'status') ?? {}))
                return request.validateUpdate(object, old);
              const { user } = context.request;
              const signer = textAt(old, 'spec', 'signerName');
              return andThen(mayActForSigner(authorizer, user, 'sign', signer), (allowed) => {
                if (allowed) return request.validateUpdate(object, old);
                const detail = `User ${quote(user.name)} is not permitted to "sign" for signer ${quote(signer)}`;
                throw new StatusError(invalid(context.version, context.name, [forbidden(SIGNER, detail)]));
              });
            },
          }),
      };
    },
  };
}
