/** The times of a certificate's validity, as Go's cryptobyte reads them. */
import { DER, type DerElement } from '../der.ts';
import { CertificateFault, need } from './certificate-fault.ts';
import type { DerReader } from './der-reader.ts';
import { latin1 } from './distinguished-name.ts';

/** Takes a time as milliseconds since the epoch. Throws CertificateFault. */
export function parseTime(reader: DerReader): number {
  if (reader.peek(DER.utcTime)) return need(utcTime(reader.read(DER.utcTime)), 'x509: malformed UTCTime');
  if (reader.peek(DER.generalizedTime))
    return need(generalizedTime(reader.read(DER.generalizedTime)), 'x509: malformed GeneralizedTime');
  throw new CertificateFault('x509: unsupported time format');
}

/** Years 50 to 99 belong to the 20th century (RFC 5280, 4.1.2.5.1). Go accepts times without seconds. */
function utcTime(element: DerElement | undefined): number | undefined {
  const match = /^(\d\d)(\d{8})(\d\d)?(Z|[+-]\d{4})$/.exec(textOf(element));
  if (match === null) return undefined;
  const [, year, rest, seconds = '00', zone] = match as unknown as [string, string, string, string?, string?];
  return timeOf(`${year < '50' ? '20' : '19'}${year}${rest}${seconds}`, zone as string);
}

function generalizedTime(element: DerElement | undefined): number | undefined {
  const match = /^(\d{14})(Z|[+-]\d{4})$/.exec(textOf(element));
  return match === null ? undefined : timeOf(match[1] as string, match[2] as string);
}

function textOf(element: DerElement | undefined): string {
  return element === undefined ? '' : latin1(element.content);
}

/** `digits` are year, month, day, hour, minute and second. An offset of zero must be written as Z. */
function timeOf(digits: string, zone: string): number | undefined {
  const iso = digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6.000Z');
  const time = Date.parse(iso);
  // Date.parse may accept February 30th and hour 24; such times do not round-trip.
  if (Number.isNaN(time) || new Date(time).toISOString() !== iso) return undefined;
  if (zone === 'Z') return time;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3));
  if (hours > 24 || minutes > 59 || hours + minutes === 0) return undefined;
  return time - (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
