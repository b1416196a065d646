/** Services and EndpointSlices as the service resolver reads them, for webhooks and extension API servers. */
import { textAt } from '../../apimachinery/meta/object-fields.ts';
import { andThen } from '../../base/maybe-promise.ts';
import type { ServiceObjects } from '../../server/http/service-resolver.ts';
import type { KubeContext } from '../kube-context.ts';

const SERVICE_NAME = 'kubernetes.io/service-name';

export function serviceObjects(kube: KubeContext): ServiceObjects {
  return {
    service: (namespace, name) =>
      andThen(kube.reader('services')(namespace, name), (answer) => ('object' in answer ? answer.object : undefined)),
    endpointSlices: (namespace, name) => {
      const slices = kube.lister('endpointslices');
      return andThen(slices.fresh(), () =>
        slices.list(namespace).filter((slice) => textAt(slice, 'metadata', 'labels', SERVICE_NAME) === name),
      );
    },
  };
}
