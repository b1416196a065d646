/** The static table of HPACK (RFC 7541, appendix A), counted from 1. */

const ROWS = `:authority
:method GET
:method POST
:path /
:path /index.html
:scheme http
:scheme https
:status 200
:status 204
:status 206
:status 304
:status 400
:status 404
:status 500
accept-charset
accept-encoding gzip, deflate
accept-language
accept-ranges
accept
access-control-allow-origin
age
allow
authorization
cache-control
content-disposition
content-encoding
content-language
content-length
content-location
content-range
content-type
cookie
date
etag
expect
expires
from
host
if-match
if-modified-since
if-none-match
if-range
if-unmodified-since
last-modified
link
location
max-forwards
proxy-authenticate
proxy-authorization
range
referer
refresh
retry-after
server
set-cookie
strict-transport-security
transfer-encoding
user-agent
vary
via
www-authenticate`;

export interface TableRow {
  readonly name: string;
  readonly value: string;
}

export const STATIC_ROWS: readonly TableRow[] = ROWS.split('\n').map((row) => {
  const space = row.indexOf(' ');
  return space < 0 ? { name: row, value: '' } : { name: row.slice(0, space), value: row.slice(space + 1) };
});

/** The first index of the dynamic table. */
export const FIRST_DYNAMIC: number = STATIC_ROWS.length + 1;
/** The size of a dynamic table row in addition to its name and value (RFC 7541, 4.1). */
export const ROW_OVERHEAD = 32;
/** The default size of a dynamic table (RFC 9113, 6.5.2). */
export const TABLE_SIZE = 4_096;
