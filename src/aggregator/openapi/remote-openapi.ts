/**
 * The OpenAPI documents of the remote group-versions. They are published once they have been fetched from the server of
 * the version, and removed with the APIService.
 */
import { ServiceGroups } from '../service-groups.ts';
import { type RemoteOpenApiOptions, ServiceOpenApi } from './service-openapi.ts';

export class RemoteOpenApi extends ServiceGroups {
  constructor(options: RemoteOpenApiOptions) {
    super(() => new ServiceOpenApi(options));
  }
}
