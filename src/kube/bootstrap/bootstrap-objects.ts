/** Every object that a fresh server contains beside namespaces, the bootstrap policy and what extension servers are told. Invariant: made when the server starts. */
import type { BootstrapObject } from '../ensurer/ensured-object.ts';
import { flowObjects } from '../flow-control/flow-objects.ts';
import { ownServiceObjects } from './kubernetes-service.ts';
import { priorityClassObjects } from './priority-class-objects.ts';
import type { ServiceNetwork } from './service-network.ts';

/** `now` in milliseconds. */
export function bootstrapObjects(network: ServiceNetwork, now: number): readonly BootstrapObject[] {
  return [...ownServiceObjects(network, now), ...priorityClassObjects(), ...flowObjects(now)];
}
