import { expect, test } from 'vitest';
import { formatIssue } from '../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { validateContainerResources, validateQuotaResourceName, validateResourceName } from './validate-resources.ts';

const PATH = FieldPath.of('resources');
const issuesOf = (requirements: JsonObject, claims: readonly string[] = []): string[] =>
  validateContainerResources(requirements, PATH, { claimNames: new Set(claims) }).map(formatIssue);

test('resource names are standard or have a domain', () => {
  const bad = (name: string): number => validateResourceName(name, PATH).length;
  expect(['cpu', 'storage', 'requests.cpu', 'hugepages-2Mi', 'example.com/x'].map(bad)).toEqual([0, 0, 0, 0, 0]);
  expect(['bogus', 'a b', ''].map(bad)).toEqual([1, 1, 2]);
  expect(validateQuotaResourceName('storage', PATH).map(formatIssue)).toEqual([
    'resources: Invalid value: "storage": must be a standard resource for quota',
  ]);
});

test('a resource that cannot be overcommitted has a limit equal to the request, and an integer amount', () => {
  expect(issuesOf({ limits: { 'example.com/x': '2' }, requests: { 'example.com/x': '1' } })).toEqual([
    'resources.requests: Invalid value: "1": must be equal to example.com/x limit of 2',
  ]);
  expect(issuesOf({ requests: { 'example.com/x': '1' } })).toEqual([
    'resources.limits: Required value: Limit must be set for non overcommitable resources',
  ]);
  expect(issuesOf({ limits: { 'example.com/x': '500m' } })).toEqual([
    'resources.limits[example.com/x]: Invalid value: "500m": must be an integer',
  ]);
});

test('huge pages are a multiple of the page size and need CPU or memory', () => {
  expect(issuesOf({ limits: { 'hugepages-2Mi': '3Mi' } })).toEqual([
    'resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
    'resources: Forbidden: HugePages require cpu or memory',
  ]);
  expect(issuesOf({ limits: { 'hugepages-2Mi': '4Mi', memory: '1' } })).toEqual([]);
});

test('a container names each claim of the pod once', () => {
  expect(issuesOf({ claims: [{ name: 'a' }, { name: 'b' }, { name: 'b' }, {}] }, ['a'])).toEqual([
    'resources.claims[1]: Not found: "b": must be one of the names in pod.spec.resourceClaims: a',
    'resources.claims[2]: Duplicate value: "b"',
    'resources.claims[2]: Not found: "b": must be one of the names in pod.spec.resourceClaims: a',
    'resources.claims[3]: Required value',
  ]);
  expect(
    issuesOf({ claims: [{ name: 'a', request: 'x' }, { name: 'a', request: 'y' }, { name: 'a' }] }, ['a']),
  ).toEqual(['resources.claims[2]: Duplicate value: "a"', 'resources.claims[2]: Duplicate value: "a"']);
});
