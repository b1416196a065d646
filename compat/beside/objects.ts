/** Paths and bodies of objects that several parts of the suite create. */
import type { JsonObject } from '../../src/base/json-value.ts';

export const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';

/** An APIService whose Service does not exist, so that requests to its version are answered with 503. */
export const UNAVAILABLE_API_SERVICE: JsonObject = {
  metadata: { name: 'v1.remote.example.com' },
  spec: {
    group: 'remote.example.com',
    version: 'v1',
    service: { namespace: 'default', name: 'missing' },
    groupPriorityMinimum: 1000,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
  },
};
