/** Times and sizes of outbound connections. */

/** The time after which a connection without requests is closed. */
export const IDLE_MS = 30_000;
/** Kept HTTP/1.1 connections to one origin: as many as the proxy may need at a time for one busy server. */
export const MAX_FREE_SOCKETS = 64;
/** Origins that are known to have no HTTP/2. */
export const MAX_KNOWN_ORIGINS = 1_000;

/** The receive window of a session, that of Go's transport: paused streams do not block the others. */
export const SESSION_WINDOW: number = 2 ** 30;
/** The receive window of a stream, which bounds the bytes that a paused stream holds. */
export const STREAM_WINDOW: number = 256 * 1024;
/** In MB. Node refuses streams above it; paused streams may fill the window of the session. */
export const SESSION_MEMORY_MB = 1024;
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
