// The admission plugin BanFlunder: refuses new Flunders with a name that a Fischer disallows.
import { type Client, StatusError } from 'keelson/client';
import type { AdmissionPlugin } from 'keelson/extension';
import type { Kind } from 'keelson/kinds';
import { statuses } from 'keelson/server';
import { type Fischer, GROUP } from './flunder.ts';

const FISCHER: Kind<Fischer, 'Cluster'> = {
  group: GROUP,
  version: 'v1alpha1',
  kind: 'Fischer',
  plural: 'fischers',
  scope: 'Cluster',
};

/** `client` reads the Fischers of this server itself, without a socket. */
export function banFlunder(client: () => Client): AdmissionPlugin {
  return {
    name: 'BanFlunder',
    resources: [`flunders.${GROUP}`],
    handles: (operation) => operation === 'CREATE',
    async admit({ name, resource }) {
      for await (const { disallowedFlunders = [] } of client().api(FISCHER).list())
        if (disallowedFlunders.includes(name))
          throw new StatusError(
            statuses.forbidden(resource, name, 'this name may not be used, please change the resource name'),
          );
    },
  };
}
