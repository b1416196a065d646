/** The table columns of HorizontalPodAutoscalers. Both versions have the same cells. */
import { objectAt, objectsAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { AGE, column, NAME, tableOf } from '../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import { int32At } from '../../shared/numbers.ts';
import { autoscalerFromV1 } from './autoscaler-conversion.ts';

const SHOWN_METRICS = 2;
const UNKNOWN = '<unknown>';

export const autoscalerTable: () => TableDefinition = tableOf(
  NAME,
  column('Reference', 'What it scales.', (object) => {
    const target = objectAt(object, 'spec', 'scaleTargetRef') ?? {};
    return `${textAt(target, 'kind')}/${textAt(target, 'name')}`;
  }),
  column('Targets', 'What it measures, and what it wants that to be.', metricsText),
  column('MinPods', 'The fewest pods.', (object) => String(int32At(object, 'spec', 'minReplicas') ?? '<unset>')),
  column('MaxPods', 'The most pods.', (object) => int32At(object, 'spec', 'maxReplicas') ?? 0),
  column('Replicas', 'Pods that exist.', (object) => int32At(object, 'status', 'currentReplicas') ?? 0),
  AGE,
);

export function autoscalerV1Table(): TableDefinition {
  const { columns, cells } = autoscalerTable();
  return {
    columns,
    cells: (object, now) => cells(autoscalerFromV1(object), now),
    metadataSource: autoscalerFromV1,
  };
}

function metricsText(object: JsonObject): string {
  const metrics = objectsAt(object, 'spec', 'metrics');
  if (metrics.length === 0) return '<none>';
  const statuses = objectsAt(object, 'status', 'currentMetrics');
  const texts = metrics.slice(0, SHOWN_METRICS).map((metric, i) => metricText(metric, statuses[i] ?? {}));
  const more = metrics.length - SHOWN_METRICS;
  return more > 0 ? `${texts.join(', ')} + ${more} more...` : texts.join(', ');
}

function metricText(metric: JsonObject, status: JsonObject): string {
  switch (textAt(metric, 'type')) {
    case 'External':
      return amountText(metric, status, 'external');
    case 'Object':
      return amountText(metric, status, 'object');
    case 'Pods': {
      const current = objectAt(status, 'pods');
      const shown = current === undefined ? UNKNOWN : quantityText(current, 'current', 'averageValue');
      return `${shown}/${quantityText(metric, 'pods', 'target', 'averageValue')}`;
    }
    case 'Resource':
      return resourceText(metric, status, 'resource');
    case 'ContainerResource':
      return resourceText(metric, status, 'containerResource');
    default:
      return '<unknown type>';
  }
}

function amountText(metric: JsonObject, status: JsonObject, source: string): string {
  const current = objectAt(status, source);
  const average = textAt(metric, source, 'target', 'averageValue');
  if (average !== '') return `${textAt(current ?? {}, 'current', 'averageValue') || UNKNOWN}/${average} (avg)`;
  const shown = current === undefined ? UNKNOWN : quantityText(current, 'current', 'value');
  return `${shown}/${quantityText(metric, source, 'target', 'value')}`;
}

function resourceText(metric: JsonObject, status: JsonObject, source: string): string {
  const current = objectAt(status, source);
  const name = textAt(metric, source, 'name');
  const average = textAt(metric, source, 'target', 'averageValue');
  if (average !== '') {
    const shown = current === undefined ? UNKNOWN : quantityText(current, 'current', 'averageValue');
    return `${name}: ${shown}/${average}`;
  }
  const used = int32At(current ?? {}, 'current', 'averageUtilization');
  const wanted = int32At(metric, source, 'target', 'averageUtilization');
  return `${name}: ${used === undefined ? UNKNOWN : `${used}%`}/${wanted === undefined ? '<auto>' : `${wanted}%`}`;
}

function quantityText(object: JsonObject, ...path: readonly string[]): string {
  return textAt(object, ...path) || '<nil>';
}
