/** The columns of Pods and PodTemplates. */
import { fieldAt, flagAt, numberAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../base/json-value.ts';
import { column, labelsText, NAME, sinceText, tableOf } from '../../../../server/resource/columns.ts';
import type { ColumnDefinition, TableDefinition } from '../../../../server/resource/version-definition.ts';
import { conditionsOf, isConditionTrue } from '../../../shared/conditions.ts';
import { containerColumns } from '../../../shared/workload-rules.ts';
import { isSidecar } from './pod-resources.ts';

const NONE = '<none>';
const WIDE = { priority: 1 } as const;

interface PodSummary {
  ready: number;
  total: number;
  /** The text of the column Status. */
  reason: string;
  restarts: number;
  /** The time in RFC 3339, or '' if there was no restart. */
  lastRestart: string;
}

const POD_COLUMNS: readonly ColumnDefinition[] = [
  podColumn('Name', 'The name of the object.', { format: 'name' }),
  podColumn('Ready', 'How many of its containers are ready.'),
  podColumn('Status', 'What its containers are doing, all in all.'),
  podColumn('Restarts', 'How often its containers were started again, and when last.'),
  podColumn('Age', 'How long ago the object was created.'),
  podColumn('IP', 'Its address.', WIDE),
  podColumn('Node', 'The node that it is bound to.', WIDE),
  podColumn('Nominated Node', 'The node that it is to run on once others have left.', WIDE),
  podColumn('Readiness Gates', 'How many of its further conditions hold.', WIDE),
];

function podColumn(
  name: string,
  description: string,
  more: Partial<Pick<ColumnDefinition, 'format' | 'priority'>> = {},
): ColumnDefinition {
  return { name, type: 'string', format: '', description, priority: 0, ...more };
}

/** The messages of the condition Completed, which rows of ended pods have. */
const ENDED: Readonly<Record<string, string>> = {
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
};

const POD_TABLE: TableDefinition = { columns: POD_COLUMNS, cells: podCells, conditions: podRowConditions };

export function podTable(): TableDefinition {
  return POD_TABLE;
}

function podCells(pod: JsonObject, now: number): JsonValue[] {
  const { ready, total, reason, restarts, lastRestart } = summarize(pod);
  const ago = restarts === 0 || lastRestart === '' ? '' : ` (${sinceText(lastRestart, now)} ago)`;
  return [
    textAt(pod, 'metadata', 'name'),
    `${ready}/${total}`,
    reason,
    `${restarts}${ago}`,
    sinceText(textAt(pod, 'metadata', 'creationTimestamp'), now),
    textAt(objectsAt(pod, 'status', 'podIPs')[0] ?? {}, 'ip') || NONE,
    textAt(pod, 'spec', 'nodeName') || NONE,
    textAt(pod, 'status', 'nominatedNodeName') || NONE,
    readinessGates(pod),
  ];
}

function podRowConditions(pod: JsonObject): JsonValue[] | undefined {
  const reason = textAt(pod, 'status', 'phase');
  const message = Object.hasOwn(ENDED, reason) ? ENDED[reason] : undefined;
  return message === undefined ? undefined : [{ type: 'Completed', status: 'True', reason, message }];
}

export const podTemplateTable: () => TableDefinition = tableOf(
  NAME,
  ...containerColumns((object) => objectAt(object, 'template', 'spec') ?? {}),
  column('Pod Labels', 'The labels of pods made from it.', (object) =>
    labelsText(objectAt(object, 'template', 'metadata', 'labels')),
  ),
);

function summarize(pod: JsonObject): PodSummary {
  const phase = textAt(pod, 'status', 'phase');
  const summary: PodSummary = {
    ready: 0,
    total: objectsAt(pod, 'spec', 'containers').length,
    reason: textAt(pod, 'status', 'reason') || phase,
    restarts: 0,
    lastRestart: '',
  };
  for (const condition of conditionsOf(pod))
    if (textAt(condition, 'type') === 'PodScheduled' && textAt(condition, 'reason') === 'SchedulingGated')
      summary.reason = 'SchedulingGated';
  const isInitializing = summarizeInit(pod, summary);
  if (!isInitializing || isConditionTrue(pod, 'Initialized')) summarizeContainers(pod, summary);
  if (textAt(pod, 'metadata', 'deletionTimestamp') !== '') {
    if (textAt(pod, 'status', 'reason') === 'NodeLost') summary.reason = 'Unknown';
    else if (phase !== 'Succeeded' && phase !== 'Failed') summary.reason = 'Terminating';
  }
  return summary;
}

/**
 * Adds the init containers to the summary. True while one of them has not finished. Afterwards, only the restarts of
 * sidecars count.
 */
function summarizeInit(pod: JsonObject, summary: PodSummary): boolean {
  const containers = objectsAt(pod, 'spec', 'initContainers');
  const sidecars = new Set(containers.filter(isSidecar).map((container) => textAt(container, 'name')));
  summary.total += sidecars.size;
  const ofSidecars = { restarts: 0, lastRestart: '' };
  const statuses = objectsAt(pod, 'status', 'initContainerStatuses');
  for (const [i, status] of statuses.entries()) {
    addRestarts(summary, status);
    const isOfSidecar = sidecars.has(textAt(status, 'name'));
    if (isOfSidecar) addRestarts(ofSidecars, status);
    const terminated = objectAt(status, 'state', 'terminated');
    if (terminated !== undefined && Number(numberAt(terminated, 'exitCode')) === 0) continue;
    if (isOfSidecar && flagAt(status, 'started')) {
      if (flagAt(status, 'ready')) summary.ready++;
      continue;
    }
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    if (terminated !== undefined) summary.reason = `Init:${endOf(terminated)}`;
    else if (waiting !== '' && waiting !== 'PodInitializing') summary.reason = `Init:${waiting}`;
    else summary.reason = `Init:${i}/${containers.length}`;
    if (isConditionTrue(pod, 'Initialized')) Object.assign(summary, ofSidecars);
    return true;
  }
  Object.assign(summary, ofSidecars);
  return false;
}

function summarizeContainers(pod: JsonObject, summary: PodSummary): void {
  let hasRunning = false;
  let failure = '';
  for (const status of [...objectsAt(pod, 'status', 'containerStatuses')].reverse()) {
    addRestarts(summary, status);
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    const terminated = objectAt(status, 'state', 'terminated');
    if (waiting !== '') summary.reason = waiting;
    else if (terminated !== undefined) {
      summary.reason = endOf(terminated);
      if (Number(numberAt(terminated, 'exitCode')) !== 0) failure = summary.reason;
    } else if (flagAt(status, 'ready') && isJsonObject(fieldAt(status, 'state', 'running'))) {
      hasRunning = true;
      summary.ready++;
    }
  }
  if (summary.reason !== 'Completed') return;
  if (hasRunning && conditionsOf(pod).some((condition) => holds(condition, 'Ready'))) summary.reason = 'Running';
  else if (failure !== '') summary.reason = failure;
  else if (hasRunning) summary.reason = 'NotReady';
}

function endOf(terminated: JsonObject): string {
  const signal = numberAt(terminated, 'signal');
  const reason = textAt(terminated, 'reason');
  if (reason !== '') return reason;
  return Number(signal) === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
}

function addRestarts(sum: { restarts: number; lastRestart: string }, status: JsonObject): void {
  sum.restarts += Number(numberAt(status, 'restartCount'));
  const finished = textAt(status, 'lastState', 'terminated', 'finishedAt');
  // Normalized times compare like their texts.
  if (finished > sum.lastRestart) sum.lastRestart = finished;
}

function readinessGates(pod: JsonObject): string {
  const gates = objectsAt(pod, 'spec', 'readinessGates');
  if (gates.length === 0) return NONE;
  const states = new Map<string, string>();
  for (const condition of conditionsOf(pod)) {
    const type = textAt(condition, 'type');
    if (!states.has(type)) states.set(type, textAt(condition, 'status'));
  }
  const open = gates.filter((gate) => states.get(textAt(gate, 'conditionType')) === 'True');
  return `${open.length}/${gates.length}`;
}

function holds(condition: JsonObject, type: string): boolean {
  return textAt(condition, 'type') === type && textAt(condition, 'status') === 'True';
}
