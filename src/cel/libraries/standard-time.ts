/**
 * What can be asked of timestamps and durations.
 */
import type { FunctionDeclaration } from '../library.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../types.ts';
import { declare, member } from './declare.ts';

function accessor(name: string, id: string, idWithZone: string, durationId?: string): FunctionDeclaration {
  return declare(
    name,
    member(id, [TIMESTAMP], INT),
    member(idWithZone, [TIMESTAMP, STRING], INT),
    ...(durationId === undefined ? [] : [member(durationId, [DURATION], INT)]),
  );
}

export const TIME: readonly FunctionDeclaration[] = [
  accessor('getFullYear', 'timestamp_to_year', 'timestamp_to_year_with_tz'),
  accessor('getMonth', 'timestamp_to_month', 'timestamp_to_month_with_tz'),
  accessor('getDayOfYear', 'timestamp_to_day_of_year', 'timestamp_to_day_of_year_with_tz'),
  accessor('getDayOfMonth', 'timestamp_to_day_of_month', 'timestamp_to_day_of_month_with_tz'),
  accessor('getDate', 'timestamp_to_day_of_month_1_based', 'timestamp_to_day_of_month_1_based_with_tz'),
  accessor('getDayOfWeek', 'timestamp_to_day_of_week', 'timestamp_to_day_of_week_with_tz'),
  accessor('getHours', 'timestamp_to_hours', 'timestamp_to_hours_with_tz', 'duration_to_hours'),
  accessor('getMinutes', 'timestamp_to_minutes', 'timestamp_to_minutes_with_tz', 'duration_to_minutes'),
  accessor('getSeconds', 'timestamp_to_seconds', 'timestamp_to_seconds_tz', 'duration_to_seconds'),
  accessor(
    'getMilliseconds',
    'timestamp_to_milliseconds',
    'timestamp_to_milliseconds_with_tz',
    'duration_to_milliseconds',
  ),
];
