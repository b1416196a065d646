/**
 * The check of pods and claims against a LimitRange. Problems are ordered by limit, then by container, then by resource
 * name.
 */
import { fieldAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { formatQuantity, type Quantity, ZERO_QUANTITY } from '../../../apimachinery/scalars/quantity.ts';
import { quantityMilliValue, quantityValue } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { specOf } from '../../../server/resource/strategy-fields.ts';
import { amountsOf, type ResourceAmounts } from '../../shared/resource-lists.ts';
import { mainContainers } from '../pod/admitted-pod.ts';
import { podTotal } from '../pod/pod-total.ts';

interface Amounts {
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
}

const NOTHING: ResourceAmounts = new Map();
/** The largest value whose thousandths fit into int64: (2^63 - 1) / 1000. */
const MAX_MILLI_VALUE = 9_223_372_036_854_775n;
const isCpuOrMemory = (name: string): boolean => name === 'cpu' || name === 'memory';

export function podProblems(range: JsonObject, pod: JsonObject): string[] {
  const problems: string[] = [];
  for (const limit of objectsAt(range, 'spec', 'limits')) {
    switch (textAt(limit, 'type')) {
      case 'Container':
        for (const container of mainContainers(specOf(pod))) check(limit, containerAmounts(container), problems);
        break;
      case 'Pod':
        check(limit, podAmounts(pod), problems);
    }
  }
  return problems;
}

export function claimProblems(range: JsonObject, claim: JsonObject): string[] {
  const problems: string[] = [];
  for (const limit of objectsAt(range, 'spec', 'limits')) {
    const type = textAt(limit, 'type');
    if (type !== 'PersistentVolumeClaim') continue;
    const requests = amountsOf(fieldAt(claim, 'spec', 'resources', 'requests'));
    const amounts = { requests, limits: NOTHING };
    each(limit, 'min', problems, (name, enforced) => belowMin(type, name, enforced, amounts));
    each(limit, 'max', problems, (name, enforced) => requestAboveMax(type, name, enforced, requests));
  }
  return problems;
}

function containerAmounts(container: JsonObject): Amounts {
  return {
    requests: amountsOf(fieldAt(container, 'resources', 'requests')),
    limits: amountsOf(fieldAt(container, 'resources', 'limits')),
  };
}

function podAmounts(pod: JsonObject): Amounts {
  const spec = specOf(pod);
  const options = { podLevel: isCpuOrMemory, overhead: false };
  return { requests: podTotal(spec, 'requests', options), limits: podTotal(spec, 'limits', options) };
}

function check(limit: JsonObject, amounts: Amounts, problems: string[]): void {
  const type = textAt(limit, 'type');
  each(limit, 'min', problems, (name, enforced) => belowMin(type, name, enforced, amounts));
  each(limit, 'max', problems, (name, enforced) => aboveMax(type, name, enforced, amounts));
  each(limit, 'maxLimitRequestRatio', problems, (name, enforced) => aboveRatio(type, name, enforced, amounts));
}

type Rule = (name: string, enforced: Quantity) => string | undefined;

function each(limit: JsonObject, field: string, problems: string[], rule: Rule): void {
  const enforced = amountsOf(limit[field]);
  for (const name of [...enforced.keys()].sort()) {
    const problem = rule(name, enforced.get(name) as Quantity);
    if (problem !== undefined) problems.push(problem);
  }
}

/** Returns integers to compare: thousandths, or whole units if one amount is too large for thousandths. */
function comparable(...amounts: readonly (Quantity | undefined)[]): bigint[] {
  const given = amounts.map((amount) => amount ?? ZERO_QUANTITY);
  const whole = given.map(quantityValue);
  return whole.every((value) => value <= MAX_MILLI_VALUE) ? given.map(quantityMilliValue) : whole;
}

function belowMin(type: string, name: string, enforced: Quantity, { requests, limits }: Amounts): string | undefined {
  const request = requests.get(name);
  const limit = limits.get(name);
  const [asked, most, least] = comparable(request, limit, enforced) as [bigint, bigint, bigint];
  const rule = `minimum ${name} usage per ${type} is ${formatQuantity(enforced)}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (asked < least) return `${rule}, but request is ${formatQuantity(request)}`;
  if (limit !== undefined && most < least) return `${rule}, but limit is ${formatQuantity(limit)}`;
  return undefined;
}

function aboveMax(type: string, name: string, enforced: Quantity, { requests, limits }: Amounts): string | undefined {
  const request = requests.get(name);
  const limit = limits.get(name);
  const [asked, most, allowed] = comparable(request, limit, enforced) as [bigint, bigint, bigint];
  const rule = `maximum ${name} usage per ${type} is ${formatQuantity(enforced)}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (most > allowed) return `${rule}, but limit is ${formatQuantity(limit)}`;
  if (request !== undefined && asked > allowed) return `${rule}, but request is ${formatQuantity(request)}`;
  return undefined;
}

/** Checks a claim, which has requests but no limits. */
function requestAboveMax(
  type: string,
  name: string,
  enforced: Quantity,
  requests: ResourceAmounts,
): string | undefined {
  const request = requests.get(name);
  const [asked, allowed] = comparable(request, enforced) as [bigint, bigint];
  const rule = `maximum ${name} usage per ${type} is ${formatQuantity(enforced)}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return asked > allowed ? `${rule}, but request is ${formatQuantity(request)}` : undefined;
}

function aboveRatio(type: string, name: string, enforced: Quantity, { requests, limits }: Amounts): string | undefined {
  const [asked, most] = comparable(requests.get(name), limits.get(name), enforced) as [bigint, bigint, bigint];
  const rule = `${name} max limit to request ratio per ${type} is ${formatQuantity(enforced)}`;
  if (asked === 0n) return `${rule}, but no request is specified or request is 0`;
  if (most === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(most) / Number(asked);
  const inMilli = quantityValue(enforced) <= MAX_MILLI_VALUE;
  const exceeds = inMilli
    ? ratio * 1000 > Number(quantityMilliValue(enforced))
    : ratio > Number(quantityValue(enforced));
  return exceeds ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
