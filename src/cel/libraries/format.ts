/** The library `kubernetes.format`: named formats. */
import { REGEX_FACTOR, STRING_FACTOR, scaleRange } from '../cost/cost-range.ts';
import type { Library } from '../library.ts';
import { NONE } from '../runtime/attributes.ts';
import { NativeList } from '../runtime/native-values.ts';
import { sizeForCost } from '../runtime/sizes.ts';
import { listOf, type OpaqueType, opaqueType, optionalOf, STRING } from '../types.ts';
import { CelError, CelOpaque, CelOptional, type Value } from '../values.ts';
import { NOMINAL, sizeOfArg } from './costs.ts';
import { declare, member, type OverloadCosts, overload } from './declare.ts';
import { NAMED_FORMATS, type NamedFormat } from './named-formats.ts';

export const FORMAT: OpaqueType = opaqueType('kubernetes.NamedFormat');

export class CelFormat extends CelOpaque {
  readonly type: OpaqueType = FORMAT;
  readonly format: NamedFormat;

  constructor(format: NamedFormat) {
    super();
    this.format = format;
  }

  equals(other: CelOpaque): boolean {
    if (!(other instanceof CelFormat)) throw new CelError('no such overload');
    return this.format.name === other.format.name;
  }
}

function named(name: Value): CelOptional {
  const format = NAMED_FORMATS.get(name as string);
  return format === undefined ? NONE : new CelOptional(new CelFormat(format));
}

function validate(format: Value, text: Value): CelOptional {
  const messages = (format as CelFormat).format.check(text as string);
  return messages.length === 0 ? NONE : new CelOptional(new NativeList(messages));
}

/** The length of patterns in estimates. Some formats are longer, as in kube-apiserver. */
const PATTERN_MAX = 128;

const VALIDATE_COSTS: OverloadCosts = {
  runtimeCost: ([format, text]) =>
    Math.ceil((1 + sizeForCost(text as Value)) * STRING_FACTOR) *
    (format instanceof CelFormat ? Math.ceil(format.format.patternLength * REGEX_FACTOR) : 1),
  estimateCost: (call) => ({
    cost: scaleRange(scaleRange(sizeOfArg(call, 1), STRING_FACTOR), PATTERN_MAX * REGEX_FACTOR),
  }),
};

export const FORMAT_LIBRARY: Library = {
  name: 'kubernetes.format',
  functions: [
    declare('format.named', overload('format-named', [STRING], optionalOf(FORMAT), named, NOMINAL)),
    declare(
      'validate',
      member('format-validate', [FORMAT, STRING], optionalOf(listOf(STRING)), validate, VALIDATE_COSTS),
    ),
    ...Array.from(NAMED_FORMATS, ([name, format]) =>
      declare(
        `format.${name}`,
        overload(`format.${name}`, [], FORMAT, () => new CelFormat(format)),
      ),
    ),
  ],
};
