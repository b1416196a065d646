/**
 * OpenAPI of the remote group-versions. It appears when the server of a version has been read, and disappears with the
 * APIService.
 */
import { ServiceGroups } from '../service-groups.ts';
import { type RemoteOpenApiOptions, ServiceOpenApi } from './service-openapi.ts';

export class RemoteOpenApi extends ServiceGroups {
  constructor(options: RemoteOpenApiOptions) {
    super(() => new ServiceOpenApi(options));
  }
}
