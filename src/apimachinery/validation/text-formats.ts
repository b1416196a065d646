/** Text formats that schemas and CEL expressions share. The checks are linear and as lenient as the reference's. */

const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** `2006-01-02`, an existing day. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8));
  const days = MONTH_DAYS[month - 1];
  if (days === undefined || day === 0) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && isLeap ? 29 : days);
}

const TIME_OF_DAY = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/u;

/**
 * RFC 3339, with two differences: any character may precede the fraction, and leap seconds are refused. Text after a
 * second `t` is not checked, as in the reference.
 */
export function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t', 2);
  if (date === undefined || time === undefined || !isDate(date)) return false;
  const parts = TIME_OF_DAY.exec(time);
  if (parts === null) return false;
  const [, hour = '', minute = '', second = ''] = parts;
  return hour <= '23' && minute <= '59' && second <= '59';
}

/** Padded base64 of the standard alphabet, at least four characters. */
export function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+(?:==?)?$/.test(text);
}

/** A UUID. Dashes are optional. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text);
}
