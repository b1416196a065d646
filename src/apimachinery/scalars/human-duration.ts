/**
 * Durations as tables print them (`AGE`), with two or three significant figures. The texts are those of the reference's
 * printer.
 */

const SECOND = 1000;
const MINUTE: number = 60 * SECOND;
const HOUR: number = 60 * MINUTE;
const DAYS_PER_YEAR = 365;

/**
 * The text of a duration in milliseconds: `5s`, `3m20s`, `47h`, `2y10d`. Up to two seconds in the future count as now,
 * because clocks differ; more is `<invalid>`.
 */
export function formatHumanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / SECOND);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(milliseconds / MINUTE);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(milliseconds / HOUR);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return pair(days, 'd', hours % 24, 'h');
  if (days < 2 * DAYS_PER_YEAR) return `${days}d`;
  const years = Math.floor(days / DAYS_PER_YEAR);
  if (years < 8) return pair(years, 'y', days % DAYS_PER_YEAR, 'd');
  return `${years}y`;
}

function pair(major: number, majorUnit: string, minor: number, minorUnit: string): string {
  return minor === 0 ? `${major}${majorUnit}` : `${major}${majorUnit}${minor}${minorUnit}`;
}
