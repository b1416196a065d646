/**
 * The formatting of values in tables of tests. Equal values have the same text; values of different types have
 * different texts.
 */
import { formatGoFloat } from '../apimachinery/codec/go-float.ts';
import { formatAddress, formatPrefix } from '../apimachinery/go/go-netip.ts';
import { formatUrl } from '../apimachinery/go/go-url.ts';
import { formatQuantity } from '../apimachinery/scalars/quantity.ts';
import { CelCidr } from './libraries/cidr.ts';
import { CelFormat } from './libraries/format.ts';
import { formatSemver } from './libraries/go/go-semver.ts';
import { CelIp } from './libraries/ip.ts';
import { CelQuantity } from './libraries/quantity.ts';
import { CelSemver } from './libraries/semver.ts';
import { CelUrl } from './libraries/url.ts';
import { entriesOf, itemsOf } from './runtime/native-values.ts';
import { formatDurationSeconds, formatTimestamp } from './runtime/timestamps.ts';
import { runtimeTypeName } from './runtime/type-of-value.ts';
import {
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelObject,
  type CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type Value,
} from './values.ts';

export function showValue(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (value instanceof Uint8Array)
    return `b${Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof CelDouble) return `double(${formatGoFloat(value.value, 64)})`;
  if (value instanceof CelDuration) return `google.protobuf.Duration(${formatDurationSeconds(value)})`;
  if (value instanceof CelTimestamp) return `google.protobuf.Timestamp(${formatTimestamp(value)})`;
  if (value instanceof CelOptional) return value.value === undefined ? 'none' : `of(${showValue(value.value)})`;
  if (value instanceof CelList) return `[${Array.from(itemsOf(value), showValue).join(', ')}]`;
  if (value instanceof CelMap) return showEntries(entriesOf(value));
  if (value instanceof CelObject) {
    const set = [...value.type.fieldNames()].filter((name) => value.get(name) !== undefined);
    return showEntries(set.map((name) => [name, value.get(name) as Value]));
  }
  if (value instanceof CelTypeValue) return `type(${runtimeTypeName(value.type)})`;
  return showOpaque(value);
}

function showEntries(entries: Iterable<readonly [Value, Value]>): string {
  const parts = Array.from(entries, ([key, value]) => `${showValue(key)}: ${showValue(value)}`);
  return `{${parts.sort().join(', ')}}`;
}

function showOpaque(value: CelOpaque): string {
  if (value instanceof CelQuantity) return `quantity(${formatQuantity(value.quantity)})`;
  if (value instanceof CelIp) return `ip(${formatAddress(value.address)})`;
  if (value instanceof CelCidr) return `cidr(${formatPrefix(value.prefix)})`;
  if (value instanceof CelUrl) return `url(${formatUrl(value.url)})`;
  if (value instanceof CelSemver) return `semver(${formatSemver(value.version)})`;
  if (value instanceof CelFormat) return `format(${value.format.name})`;
  return value.type.name;
}
