/** The flags of the proxy to extension API servers. */
import type { ServerOptions } from '../controlplane/options.ts';
import { type CommandOptions, type Effect, group, type ServerFlag, server } from './server-flag.ts';

function aggregation(effect: Effect<ServerOptions['aggregation']>): Effect<CommandOptions> {
  return server((values) => ({ aggregation: effect(values) }));
}

export const AGGREGATION_FLAGS: readonly ServerFlag[] = group('Misc', [
  [
    'aggregator-reject-forwarding-redirect',
    'bool',
    'answer 502 when an extension API server redirects (default true)',
    aggregation((v) => ({ rejectRedirects: v.bool() })),
  ],
  [
    'enable-aggregator-routing',
    'bool',
    'reach extension API servers by endpoints (true) or by cluster IP and external name (false) (default: whichever a Service has)',
    aggregation((v) => ({ routing: v.bool() ? 'endpoints' : 'cluster-ip' })),
  ],
  [
    'proxy-client-cert-file',
    'string',
    'certificate that this server presents to extension API servers (default: the one in the data folder)',
    aggregation((v) => ({ proxyClientCertFile: v.text() })),
  ],
  [
    'proxy-client-key-file',
    'string',
    'key of --proxy-client-cert-file',
    aggregation((v) => ({ proxyClientKeyFile: v.text() })),
  ],
]);
