/**
 * Conversion of metrics between autoscaling/v2 and the annotations of autoscaling/v1. The order of fields is that in
 * which kube-apiserver writes the annotations.
 */
import { objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import { isZeroQuantity } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import { parseQuantity } from '../../../apimachinery/scalars/quantity-parse.ts';
import type { JsonObject, JsonValue } from '../../../base/json-value.ts';

/** The value of an absent quantity in a required field of autoscaling/v1. */
const NO_AMOUNT = '0';

type Parts = Readonly<Record<string, JsonValue | undefined>>;
type Convert = (source: JsonObject) => JsonObject;

/** The sources of a metric, in the field order of the type. */
const SOURCES = ['object', 'pods', 'resource', 'containerResource', 'external'] as const;
type Source = (typeof SOURCES)[number];
type Converters = Readonly<Record<Source, Convert>>;

export function metricToV1(metric: JsonObject): JsonObject {
  return convertMetric(metric, TO_V1);
}

export function metricFromV1(metric: JsonObject): JsonObject {
  return convertMetric(metric, FROM_V1);
}

export function metricStatusToV1(status: JsonObject): JsonObject {
  return convertMetric(status, STATUS_TO_V1);
}

export function metricStatusFromV1(status: JsonObject): JsonObject {
  return convertMetric(status, STATUS_FROM_V1);
}

function convertMetric(metric: JsonObject, converters: Converters): JsonObject {
  const converted: JsonObject = { type: metric['type'] ?? '' };
  for (const name of SOURCES) {
    const source = objectAt(metric, name);
    if (source !== undefined) converted[name] = converters[name](source);
  }
  return converted;
}

const TO_V1: Converters = {
  object: (source) => {
    const { target, metric } = partsOf(source);
    return present({
      target: source['describedObject'],
      metricName: textAt(metric, 'name'),
      targetValue: target['value'] ?? NO_AMOUNT,
      selector: metric['selector'],
      averageValue: target['averageValue'],
    });
  },
  pods: (source) => {
    const { target, metric } = partsOf(source);
    return present({
      metricName: textAt(metric, 'name'),
      targetAverageValue: target['averageValue'] ?? NO_AMOUNT,
      selector: metric['selector'],
    });
  },
  resource: resourceToV1,
  containerResource: (source) => ({ ...resourceToV1(source), container: textAt(source, 'container') }),
  external: (source) => {
    const { target, metric } = partsOf(source);
    return present({
      metricName: textAt(metric, 'name'),
      metricSelector: metric['selector'],
      targetValue: target['value'],
      targetAverageValue: target['averageValue'],
    });
  },
};

const FROM_V1: Converters = {
  object: (source) => {
    const averageValue = source['averageValue'] ?? undefined;
    const value = source['targetValue'] ?? NO_AMOUNT;
    const target =
      averageValue === undefined
        ? { type: 'Value', value }
        : present({ type: 'AverageValue', value: isZero(value) ? undefined : value, averageValue });
    return present({ describedObject: source['target'], target, metric: metricOf(source, 'selector') });
  },
  pods: (source) => ({
    metric: metricOf(source, 'selector'),
    target: { type: 'AverageValue', averageValue: source['targetAverageValue'] ?? NO_AMOUNT },
  }),
  resource: resourceFromV1,
  containerResource: (source) => ({ ...resourceFromV1(source), container: textAt(source, 'container') }),
  external: (source) => {
    const value = source['targetValue'] ?? undefined;
    return {
      metric: metricOf(source, 'metricSelector'),
      target: present({
        type: value === undefined ? 'AverageValue' : 'Value',
        value,
        averageValue: source['targetAverageValue'],
      }),
    };
  },
};

const STATUS_TO_V1: Converters = {
  object: (source) => {
    const { current, metric } = partsOf(source);
    return present({
      target: source['describedObject'],
      metricName: textAt(metric, 'name'),
      currentValue: current['value'] ?? NO_AMOUNT,
      selector: metric['selector'],
      averageValue: current['averageValue'],
    });
  },
  pods: (source) => {
    const { current, metric } = partsOf(source);
    return present({
      metricName: textAt(metric, 'name'),
      currentAverageValue: current['averageValue'] ?? NO_AMOUNT,
      selector: metric['selector'],
    });
  },
  resource: resourceStatusToV1,
  containerResource: (source) => ({ ...resourceStatusToV1(source), container: textAt(source, 'container') }),
  external: (source) => {
    const { current, metric } = partsOf(source);
    return present({
      metricName: textAt(metric, 'name'),
      metricSelector: metric['selector'],
      currentValue: current['value'] ?? NO_AMOUNT,
      currentAverageValue: current['averageValue'],
    });
  },
};

const STATUS_FROM_V1: Converters = {
  object: (source) =>
    present({
      metric: metricOf(source, 'selector'),
      current: present({ value: source['currentValue'] ?? NO_AMOUNT, averageValue: source['averageValue'] }),
      describedObject: source['target'],
    }),
  pods: (source) => ({
    metric: metricOf(source, 'selector'),
    current: { averageValue: source['currentAverageValue'] ?? NO_AMOUNT },
  }),
  resource: resourceStatusFromV1,
  containerResource: (source) => ({ ...resourceStatusFromV1(source), container: textAt(source, 'container') }),
  external: (source) => ({
    metric: metricOf(source, 'metricSelector'),
    current: present({ value: source['currentValue'] ?? NO_AMOUNT, averageValue: source['currentAverageValue'] }),
  }),
};

function resourceToV1(source: JsonObject): JsonObject {
  const { target } = partsOf(source);
  return present({
    name: textAt(source, 'name'),
    targetAverageUtilization: target['averageUtilization'],
    targetAverageValue: target['averageValue'],
  });
}

function resourceFromV1(source: JsonObject): JsonObject {
  const averageUtilization = source['targetAverageUtilization'] ?? undefined;
  return {
    name: source['name'] ?? '',
    target: present({
      type: averageUtilization === undefined ? 'AverageValue' : 'Utilization',
      averageValue: source['targetAverageValue'],
      averageUtilization,
    }),
  };
}

function resourceStatusToV1(source: JsonObject): JsonObject {
  const { current } = partsOf(source);
  return present({
    name: textAt(source, 'name'),
    currentAverageUtilization: current['averageUtilization'],
    currentAverageValue: current['averageValue'] ?? NO_AMOUNT,
  });
}

function resourceStatusFromV1(source: JsonObject): JsonObject {
  return {
    name: source['name'] ?? '',
    current: present({
      averageValue: source['currentAverageValue'] ?? NO_AMOUNT,
      averageUtilization: source['currentAverageUtilization'],
    }),
  };
}

function partsOf(source: JsonObject): Readonly<Record<'target' | 'metric' | 'current', JsonObject>> {
  return {
    target: objectAt(source, 'target') ?? {},
    metric: objectAt(source, 'metric') ?? {},
    current: objectAt(source, 'current') ?? {},
  };
}

function metricOf(source: JsonObject, selector: string): JsonObject {
  return present({ name: source['metricName'] ?? '', selector: source[selector] });
}

/** Returns a copy without undefined and null values. */
export function present(parts: Parts): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(parts)) if (value !== undefined && value !== null) kept[name] = value;
  return kept;
}

function isZero(amount: JsonValue): boolean {
  const parsed = parseQuantity(String(amount));
  return parsed.ok && isZeroQuantity(parsed.value);
}
