/**
 * The public API `keelson/node`: connections to API servers for `keelson/client`, pages and the termination signal for
 * `keelson/controller`, and a listener for handlers of `keelson/server`. Experimental until the extension SDK uses it.
 */
export { type ConnectOptions, connect, type KubeConnection } from './kubeconfig/connect.ts';
export { type ListenOptions, type LocalListener, listen } from './listen.ts';
export type { Listener, ListenerOptions } from './listener.ts';
export { type PageServerOptions, type Pages, servePages } from './serve-pages.ts';
export { terminationSignal } from './termination-signal.ts';
export type { KeyPair, TlsConfig } from './tls/tls-config.ts';
