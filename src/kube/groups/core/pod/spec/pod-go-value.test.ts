import { expect, test } from 'vitest';
import { podTemplateGoValue } from './pod-go-value.ts';

test('a pod template prints with Go field names, embedded metadata, and host fields in the security context', () => {
  const shown = podTemplateGoValue({
    metadata: { labels: { a: 'b' } },
    spec: {
      hostNetwork: true,
      containers: [{ name: 'c', env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }],
      volumes: [{ name: 'v', configMap: { name: 'm' } }],
    },
  });
  expect(Object.keys(shown)).toEqual(['labels', 'Spec']);
  expect(shown).toMatchObject({
    labels: { a: 'b' },
    Spec: {
      Volumes: [
        { Name: 'v', HostPath: null, ConfigMap: { Name: 'm', Items: null, DefaultMode: null, Optional: null } },
      ],
      InitContainers: null,
      Containers: [
        {
          Name: 'c',
          Image: '',
          Resources: { Limits: null, Requests: null, Claims: null },
          Env: [{ Name: 'X', Value: '', ValueFrom: { SecretKeyRef: { Name: 's', Key: 'k', Optional: null } } }],
          TTY: false,
        },
      ],
      SecurityContext: { HostNetwork: true, HostPID: false, FSGroup: null },
      DNSPolicy: '',
    },
  });
});
