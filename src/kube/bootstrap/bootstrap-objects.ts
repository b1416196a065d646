/**
 * The ensured objects of a new server, besides the namespaces, the bootstrap policy and the ConfigMaps of bootstrap.ts.
 */
import type { EnsuredObject } from '../ensurer/ensured-object.ts';
import { flowObjects } from '../flow-control/flow-objects.ts';
import { kubernetesServiceObjects } from './kubernetes-service.ts';
import { priorityClassObjects } from './priority-class-objects.ts';
import type { ServiceNetwork } from './service-network.ts';

/** `now` is in milliseconds. */
export function bootstrapObjects(network: ServiceNetwork, now: number): readonly EnsuredObject[] {
  return [...kubernetesServiceObjects(network, now), ...priorityClassObjects(), ...flowObjects(now)];
}
