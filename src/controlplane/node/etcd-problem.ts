/** The message about an etcd cluster that cannot be used at the start of a server. */

/** The advice for failures whose message matches the pattern. The first match is used. */
const ADVICE: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/ECONNREFUSED/, 'check that etcd runs and listens there'],
  [/ENOTFOUND|EAI_AGAIN/, 'check the name of the host'],
  [/http2: connection error|unexpected EOF/, 'this is not a client URL of etcd, or it needs https://'],
  [/certificate/, 'name the CA of etcd with --etcd-cafile, and the certificate of this client with --etcd-certfile'],
];

/** Removes the parts of the message that the caller already shows, and adds advice. */
export function etcdProblem(servers: readonly string[], message: string): string {
  const [only] = servers;
  const reason = message.replace(/^etcd: /, '').replace(servers.length === 1 ? `${only}: ` : '', '');
  const advice = ADVICE.find(([pattern]) => pattern.test(reason))?.[1];
  return advice === undefined ? reason : `${reason}; ${advice}`;
}
