// The sample controller: every Foo has a Deployment of nginx with its name and replicas.
import { isControlledBy, type Stored } from 'keelson/client';
import { failed, type Operator, operator } from 'keelson/controller';
import { Deployment } from 'keelson/kinds/apps/v1';
import { Foo } from './foo.ts';

export const fooOperator: Operator<Foo> = operator('sample-controller')
  .for(Foo, { when: 'generation' })
  .owns(Deployment)
  .reconcile(async ({ object: foo, cache, apply, status, event }) => {
    const { deploymentName: name, replicas } = foo.spec;
    const present = await cache.get(Deployment, name);
    if (present !== undefined && !isControlledBy(present, foo)) {
      const message = `Resource "${name}" already exists and is not managed by Foo`;
      event('ErrResourceExists', message, { type: 'Warning' });
      status().condition('Ready', false, 'ErrResourceExists', message);
      return failed(message);
    }
    const deployment = await apply(Deployment, { metadata: { name }, spec: deploymentSpec(foo) });
    const availableReplicas = deployment.status?.availableReplicas ?? 0;
    status({ availableReplicas }).condition(
      'Ready',
      availableReplicas === replicas,
      'Scaled',
      `${availableReplicas} of ${replicas} replicas are available`,
    );
    event('Synced', 'Foo synced successfully');
    return undefined;
  });

function deploymentSpec(foo: Stored<Foo>) {
  const labels = { app: 'nginx', controller: foo.metadata.name };
  return {
    replicas: foo.spec.replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] } },
  };
}
