/** The library `kubernetes.Semver`, version 1: semantic versions. */
import type { Library } from '../library.ts';
import { intOf } from '../runtime/integers.ts';
import { BOOL, INT, type OpaqueType, opaqueType, STRING } from '../types.ts';
import { CelError, CelOpaque, type Value } from '../values.ts';
import { NOMINAL, ONE_WALK } from './costs.ts';
import { declare, member, overload } from './declare.ts';
import { compareSemver, type ParsedSemver, parseSemver, parseTolerantSemver, type Semver } from './go/go-semver.ts';

export const SEMVER: OpaqueType = opaqueType('kubernetes.Semver');

export class CelSemver extends CelOpaque {
  readonly type: OpaqueType = SEMVER;
  readonly version: Semver;

  constructor(version: Semver) {
    super();
    this.version = version;
  }

  equals(other: CelOpaque): boolean {
    if (!(other instanceof CelSemver)) throw new CelError('no such overload');
    return compareSemver(this.version, other.version) === 0;
  }
}

function read(text: Value, tolerant: Value): ParsedSemver {
  return tolerant === true ? parseTolerantSemver(text as string) : parseSemver(text as string);
}

function toSemver(text: Value, tolerant: Value): CelSemver {
  const parsed = read(text, tolerant);
  if (!parsed.ok) throw new CelError(parsed.message);
  return new CelSemver(parsed.value);
}

function number(name: 'major' | 'minor' | 'patch'): ReturnType<typeof declare> {
  // kube-apiserver converts from uint64 to int64: large numbers become negative.
  const get = (value: Value): Value => intOf(BigInt.asIntN(64, (value as CelSemver).version[name]));
  return declare(name, member(`semver_${name}`, [SEMVER], INT, get, NOMINAL));
}

function compare(a: Value, b: Value): number {
  return compareSemver((a as CelSemver).version, (b as CelSemver).version);
}

const PAIR = [SEMVER, SEMVER];

export const SEMVER_LIBRARY: Library = {
  name: 'kubernetes.Semver',
  functions: [
    declare(
      'semver',
      overload('string_to_semver', [STRING], SEMVER, (text) => toSemver(text, false), ONE_WALK),
      overload('string_bool_to_semver', [STRING, BOOL], SEMVER, (a, b) => toSemver(a as Value, b as Value), ONE_WALK),
    ),
    declare(
      'isSemver',
      overload('is_semver_string', [STRING], BOOL, (text) => read(text, false).ok, ONE_WALK),
      overload('is_semver_string_bool', [STRING, BOOL], BOOL, (a, b) => read(a as Value, b as Value).ok, ONE_WALK),
    ),
    declare(
      'isGreaterThan',
      member('semver_is_greater_than', PAIR, BOOL, (a, b) => compare(a as Value, b as Value) > 0, NOMINAL),
    ),
    declare(
      'isLessThan',
      member('semver_is_less_than', PAIR, BOOL, (a, b) => compare(a as Value, b as Value) < 0, NOMINAL),
    ),
    declare(
      'compareTo',
      member('semver_compare_to', PAIR, INT, (a, b) => compare(a as Value, b as Value), NOMINAL),
    ),
    number('major'),
    number('minor'),
    number('patch'),
  ],
};
