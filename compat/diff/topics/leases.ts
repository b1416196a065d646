/** Leases. */
import { leases as at, del, get, patch, post, put, type Topic, topic } from '../request.ts';

const lease = (name: string, spec?: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name },
  ...(spec === undefined ? {} : { spec }),
});

export const leases: Topic = topic('leases', {
  life: [
    post(at(), lease('a')),
    get(at('a')),
    put(at('a'), lease('a', { holderIdentity: 'me', leaseDurationSeconds: 15 }), {
      save: { rv: 'metadata.resourceVersion' },
    }),
    put(at('a'), {
      ...lease('a', {
        holderIdentity: 'me',
        renewTime: '2024-05-06T07:08:09.123456Z',
        acquireTime: '2024-05-06T07:08:09Z',
        leaseTransitions: 1,
      }),
      metadata: { name: 'a', resourceVersion: '{{rv}}' },
    }),
    put(at('a'), lease('a', { holderIdentity: 'me' })),
    patch('merge', at('a'), { spec: { leaseTransitions: 2 } }),
    patch('strategic', at('a'), { spec: { holderIdentity: null } }),
    patch('json', at('a'), [{ op: 'add', path: '/spec/leaseDurationSeconds', value: 3 }]),
    get(at()),
    del(at('a')),
  ],
  refused: [
    post(at(), lease('a', { leaseDurationSeconds: 0 })),
    post(at(), lease('a', { leaseDurationSeconds: -5, leaseTransitions: -1 })),
    post(at(), lease('a', { leaseDurationSeconds: 'x' })),
    post(at(), lease('a', { renewTime: 'soon' })),
    post(at(), lease('a', { renewTime: '2024-05-06T07:08:09+02:00' })),
    post(at(), lease('b', { strategy: 'Odd' })),
    post(at(), lease('b', { preferredHolder: 'x' })),
    post(at(), lease('c', { strategy: 'OldestEmulationVersion', preferredHolder: 'x' })),
    post(at(), lease('Bad_Name')),
    put(at('never'), lease('never', { holderIdentity: 'made by an update' })),
    put(at('never'), { ...lease('never', {}), metadata: { name: 'never', resourceVersion: '1' } }),
  ],
  numbers: [
    post(at(), lease('big', { leaseDurationSeconds: 2147483647 })),
    post(at(), '{"metadata":{"name":"over"},"spec":{"leaseDurationSeconds":2147483648}}', { type: 'application/json' }),
    post(at(), '{"metadata":{"name":"float"},"spec":{"leaseDurationSeconds":1.5}}', { type: 'application/json' }),
    post(at(), '{"metadata":{"name":"huge","generation":9223372036854775807},"spec":{}}', { type: 'application/json' }),
    post(at(), '{"metadata":{"name":"beyond","generation":9223372036854775808},"spec":{}}', {
      type: 'application/json',
    }),
  ],
});
