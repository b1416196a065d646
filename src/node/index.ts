/** The front door `keelson/node`: a listener for handlers of `keelson/server`. Experimental until the extension SDK uses it. */
export { type ListenOptions, type LocalListener, listen } from './listen.ts';
export type { Listener, ListenerOptions } from './listener.ts';
export type { KeyPair, TlsConfig } from './tls/tls-config.ts';
