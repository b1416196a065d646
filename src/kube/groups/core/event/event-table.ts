/** The columns of Events, the same in both groups. */

import { numberAt, objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import { isJsonObject, type JsonObject } from '../../../../base/json-value.ts';
import { type Column, column, sinceText, tableOf } from '../../../../server/resource/columns.ts';
import type { TableDefinition } from '../../../../server/resource/version-definition.ts';

/** The field names of one group. */
interface EventNames {
  readonly object: string;
  readonly message: string;
  readonly source: string;
  readonly controller: string;
  readonly first: string;
  readonly last: string;
  readonly count: string;
}

export const coreEventTable: () => TableDefinition = eventTable({
  object: 'involvedObject',
  message: 'message',
  source: 'source',
  controller: 'reportingComponent',
  first: 'firstTimestamp',
  last: 'lastTimestamp',
  count: 'count',
});

export const eventsEventTable: () => TableDefinition = eventTable({
  object: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  controller: 'reportingController',
  first: 'deprecatedFirstTimestamp',
  last: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
});

function eventTable(names: EventNames): () => TableDefinition {
  const wide = { priority: 1 };
  const first = (event: JsonObject, now: number): string =>
    sinceText(textAt(event, names.first) || textAt(event, 'eventTime'), now);
  const columns: readonly Column[] = [
    column('Last Seen', 'When it was seen last.', (event, now) => {
      const series = objectAt(event, 'series');
      if (series !== undefined) return sinceText(textAt(series, 'lastObservedTime'), now);
      const last = textAt(event, names.last);
      return last === '' ? first(event, now) : sinceText(last, now);
    }),
    column('Type', 'Normal or Warning.', (event) => textAt(event, 'type')),
    column('Reason', 'Why it happened, in one word.', (event) => textAt(event, 'reason')),
    column('Object', 'What it is about.', (event) => {
      const kind = textAt(event, names.object, 'kind').toLowerCase();
      const name = textAt(event, names.object, 'name');
      return name === '' ? kind : `${kind}/${name}`;
    }),
    column('Subobject', 'Which part of the object.', (event) => textAt(event, names.object, 'fieldPath'), wide),
    column('Source', 'Who reports it.', (event) => sourceText(event, names), wide),
    column('Message', 'What happened.', (event) => textAt(event, names.message).trim()),
    column('First Seen', 'When it was seen first.', first, wide),
    column('Count', 'How often it was seen.', (event) => countOf(event, names), wide),
    column('Name', 'The name of the event.', (event) => textAt(event, 'metadata', 'name'), {
      ...wide,
      format: 'name',
    }),
  ];
  return tableOf(...columns);
}

function sourceText(event: JsonObject, names: EventNames): string {
  const component = textAt(event, names.source, 'component') || textAt(event, names.controller);
  const instance = textAt(event, names.source, 'host') || textAt(event, 'reportingInstance');
  return instance === '' ? component : `${component}, ${instance}`;
}

/** An event without a count was seen once. */
function countOf(event: JsonObject, names: EventNames): number {
  if (isJsonObject(event['series'])) return Number(numberAt(event, 'series', 'count'));
  return Number(numberAt(event, names.count)) || 1;
}
