import { describe, expect, it } from 'vitest';
import { singularOf, typeNameOf } from './type-names.ts';

describe('names of types', () => {
  it.each([
    ['Containers', 'Container'],
    ['InitContainers', 'InitContainer'],
    ['IngressPolicies', 'IngressPolicy'],
    ['IpAddresses', 'IpAddress'],
    ['MatchExpressions', 'MatchExpression'],
    ['Leases', 'Lease'],
    ['Statuses', 'Status'],
    ['Aliases', 'Alias'],
    ['Caches', 'Cache'],
    ['Branches', 'Branch'],
    ['Env', 'EnvItem'],
    ['Status', 'StatusItem'],
    ['Access', 'AccessItem'],
    ['Analysis', 'AnalysisItem'],
    ['TimeSeries', 'TimeSeriesItem'],
  ])('of one of %s is %s', (plural, singular) => {
    expect(singularOf(plural)).toBe(singular);
  });

  it.each([
    ['cronSpec', 'CronSpec'],
    ['cron-spec', 'CronSpec'],
    ['9lives', 'T9lives'],
    ['$ref', 'Ref'],
    ['-', 'T'],
  ])('for %s is %s', (name, expected) => {
    expect(typeNameOf(name)).toBe(expected);
  });
});
