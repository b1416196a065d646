/** Services and their endpoints for whoever has to reach one: webhooks, extension servers. Invariant: nothing is read before somebody asks. */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { andThen } from '../../base/maybe-promise.ts';
import type { ServiceObjects } from '../../server/http/service-resolver.ts';
import type { KubeContext } from '../kube-context.ts';

const SERVICE_NAME = 'kubernetes.io/service-name';

export function serviceObjects(world: KubeContext): ServiceObjects {
  return {
    service: (namespace, name) =>
      andThen(world.reader('services')(namespace, name), (answer) => ('object' in answer ? answer.object : undefined)),
    endpointSlices: (namespace, name) => {
      const slices = world.lister('endpointslices');
      return andThen(slices.fresh(), () =>
        slices.list(namespace).filter((slice) => textAt(slice, 'metadata', 'labels', SERVICE_NAME) === name),
      );
    },
  };
}
