/** The configuration of the plugin EventRateLimit: the limits of Events. */
import {
  type ConfigKind,
  configType,
  listType,
  scalarType,
  structType,
  TEXT,
} from '../../../apimachinery/codec/config-object.ts';
import { numberAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, invalid, notSupported } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';

export type EventLimitType = 'Server' | 'Namespace' | 'User' | 'SourceAndObject';

/** A token bucket for each key of its type. */
export interface EventLimit {
  readonly type: EventLimitType;
  readonly perSecond: number;
  readonly burst: number;
  /** The number of keys that are remembered. A forgotten key has its whole burst again. */
  readonly cacheSize: number;
}

const TYPES: readonly EventLimitType[] = ['Server', 'Namespace', 'User', 'SourceAndObject'];
const DEFAULT_CACHE_SIZE = 4096;
const INT32 = scalarType('int32');

export const EVENT_RATE_LIMIT_CONFIGURATION: ConfigKind = {
  kind: 'Configuration',
  apiVersions: ['eventratelimit.admission.k8s.io/v1alpha1'],
  strict: false,
  view: configType('v1alpha1.Configuration', {
    limits: listType(structType('v1alpha1.Limit', { type: TEXT, qps: INT32, burst: INT32, cacheSize: INT32 })),
  }),
};

/** Returns the issues of a decoded configuration; none if it is valid. */
export function validateEventLimits(configuration: JsonObject): readonly FieldIssue[] {
  const path = FieldPath.of('limits');
  const limits = objectsAt(configuration, 'limits');
  if (limits.length === 0) return [invalid(path, null, 'must not be empty')];
  return limits.flatMap((limit, i) => limitIssues(limit, path.index(i)));
}

/** Reads a decoded configuration that is valid. */
export function eventLimitsOf(configuration: JsonObject): readonly EventLimit[] {
  return objectsAt(configuration, 'limits').map((limit) => ({
    type: textAt(limit, 'type') as EventLimitType,
    perSecond: Number(numberAt(limit, 'qps')),
    burst: Number(numberAt(limit, 'burst')),
    cacheSize: Number(numberAt(limit, 'cacheSize')) || DEFAULT_CACHE_SIZE,
  }));
}

function limitIssues(limit: JsonObject, path: FieldPath): readonly FieldIssue[] {
  const type = textAt(limit, 'type');
  const [qps, burst, cacheSize] = ['qps', 'burst', 'cacheSize'].map((name) => Number(numberAt(limit, name))) as [
    number,
    number,
    number,
  ];
  const issues: FieldIssue[] = [];
  if (!TYPES.some((known) => known === type)) issues.push(notSupported(path.child('type'), type, TYPES));
  if (burst <= 0) issues.push(invalid(path.child('burst'), burst, 'must be positive'));
  if (qps <= 0) issues.push(invalid(path.child('qps'), qps, 'must be positive'));
  if (type !== 'Server' && cacheSize < 0)
    issues.push(invalid(path.child('cacheSize'), cacheSize, 'must not be negative'));
  return issues;
}
