/** The accessors of timestamps and durations. Without a zone the fields of a timestamp are in UTC. */
import type { FunctionDeclaration } from '../../library.ts';
import { inZone } from '../../runtime/timestamps.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../../types.ts';
import type { CelDuration, CelTimestamp } from '../../values.ts';
import { declare, member } from '../declare.ts';

/** Reads a field of a date whose UTC fields are those of the time zone. */
type Part = (local: Date) => number;

function accessor(ids: { name: string; id: string; withZone: string }, part: Part): FunctionDeclaration {
  return declare(ids.name, ...timestampOverloads(ids, part));
}

function timestampOverloads(ids: { id: string; withZone: string }, part: Part): FunctionDeclaration['overloads'] {
  return [
    member(ids.id, [TIMESTAMP], INT, (timestamp) => part(inZone(timestamp as CelTimestamp, 'UTC'))),
    member(ids.withZone, [TIMESTAMP, STRING], INT, (timestamp, zone) =>
      part(inZone(timestamp as CelTimestamp, zone as string)),
    ),
  ];
}

/** An accessor of timestamps and durations. For a duration it returns the number of whole units of `nanos`. */
function timeAccessor(unit: string, part: Part, nanos: bigint): FunctionDeclaration {
  const name = `get${unit[0]?.toUpperCase()}${unit.slice(1)}`;
  // The id for seconds is irregular in cel-go.
  const withZone = unit === 'seconds' ? 'timestamp_to_seconds_tz' : `timestamp_to_${unit}_with_tz`;
  return declare(
    name,
    ...timestampOverloads({ id: `timestamp_to_${unit}`, withZone }, part),
    member(`duration_to_${unit}`, [DURATION], INT, (duration) => Number((duration as CelDuration).nanos / nanos)),
  );
}

function dayOfYear(local: Date): number {
  const start = new Date(local.getTime());
  start.setUTCMonth(0, 1);
  return Math.round((local.getTime() - start.getTime()) / 86_400_000);
}

function milliseconds(local: Date): number {
  return local.getUTCMilliseconds();
}

export const TIME: readonly FunctionDeclaration[] = [
  accessor({ name: 'getFullYear', id: 'timestamp_to_year', withZone: 'timestamp_to_year_with_tz' }, (local) =>
    local.getUTCFullYear(),
  ),
  accessor({ name: 'getMonth', id: 'timestamp_to_month', withZone: 'timestamp_to_month_with_tz' }, (local) =>
    local.getUTCMonth(),
  ),
  accessor(
    { name: 'getDayOfYear', id: 'timestamp_to_day_of_year', withZone: 'timestamp_to_day_of_year_with_tz' },
    dayOfYear,
  ),
  accessor(
    { name: 'getDayOfMonth', id: 'timestamp_to_day_of_month', withZone: 'timestamp_to_day_of_month_with_tz' },
    (local) => local.getUTCDate() - 1,
  ),
  accessor(
    {
      name: 'getDate',
      id: 'timestamp_to_day_of_month_1_based',
      withZone: 'timestamp_to_day_of_month_1_based_with_tz',
    },
    (local) => local.getUTCDate(),
  ),
  accessor(
    { name: 'getDayOfWeek', id: 'timestamp_to_day_of_week', withZone: 'timestamp_to_day_of_week_with_tz' },
    (local) => local.getUTCDay(),
  ),
  timeAccessor('hours', (local) => local.getUTCHours(), 3_600_000_000_000n),
  timeAccessor('minutes', (local) => local.getUTCMinutes(), 60_000_000_000n),
  timeAccessor('seconds', (local) => local.getUTCSeconds(), 1_000_000_000n),
  timeAccessor('milliseconds', milliseconds, 1_000_000n),
];
