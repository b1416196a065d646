/** Times and sizes of outbound connections. */
import type { ClientSettings } from '../http2/settings.ts';

/** The time after which a connection without requests is closed. */
export const IDLE_MS = 30_000;
/** Kept HTTP/1.1 connections to one origin: as many as the proxy may need at a time for one busy server. */
export const MAX_FREE_SOCKETS = 64;
/** Origins that are known to have no HTTP/2. */
export const MAX_KNOWN_ORIGINS = 1_000;

/** The window bounds the bytes that a paused response holds. Larger header lists of a response are refused. */
export const HTTP2_SETTINGS: ClientSettings = {
  streamWindowBytes: 256 * 1024,
  maxHeaderBytes: 128 * 1024,
  maxHeaderCount: 1_000,
};
/** The time without a byte after which an HTTP/2 connection is pinged; client-go's ReadIdleTimeout. */
export const READ_IDLE_MS = 30_000;
/** How often it is checked whether bytes were received: a timer per read would cost more. */
export const READ_CHECK_MS = 5_000;
/** The time for the answer to a ping; client-go's PingTimeout. */
export const PING_TIMEOUT_MS = 15_000;
/** The time without a byte after which the system probes a connection. */
export const KEEP_ALIVE_MS = 30_000;
/** The time for a connection and its handshake; that of Go's dialer. */
export const DIAL_MS = 30_000;
