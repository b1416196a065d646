import { describe, expect, it } from 'vitest';
import { formatIssue } from '../apimachinery/validation/field-issue.ts';
import type { JsonObject } from '../base/json-value.ts';
import { validateApiService } from './api-service.ts';

describe('validateApiService', () => {
  it.each<[string, JsonObject, string[]]>([
    [
      'v1.x.io',
      {
        group: 'x.io',
        version: 'v1',
        groupPriorityMinimum: 20_001,
        versionPriority: 1_001,
        caBundle: 'AAAA',
        insecureSkipTLSVerify: true,
      },
      [
        'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
        'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
        'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
        'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000',
      ],
    ],
    [
      'v1.y.io',
      {
        group: 'x.io',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
        service: { port: 70_000 },
        caBundle: 'AAAA',
        insecureSkipTLSVerify: true,
      },
      [
        'metadata.name: Invalid value: "v1.y.io": must be `spec.version+"."+spec.group`: "v1.x.io"',
        'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
        'spec.service.name: Required value',
        'spec.service.namespace: Required value',
        'spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
      ],
    ],
  ])('%s', (name, spec, expected) => {
    expect(validateApiService({ metadata: { name }, spec }).map(formatIssue).sort()).toEqual(expected);
  });
});
