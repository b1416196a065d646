import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../controlplane/options.ts';
import { referenceFlags } from './reference-flags.ts';
import { parseServerCommandLine } from './server-command-line.ts';
import { SERVER_FLAGS } from './server-flags.ts';
import { serverHelp } from './server-help.ts';

const parse = parseServerCommandLine;
const server = (...args: string[]) => parse(args).options.server;

describe('the server command line', () => {
  it('gives the defaults without arguments', () => {
    expect(parse([])).toMatchObject({
      options: { server: defaultOptions, log: { format: 'auto', verbosity: 0 } },
      ignoredFlags: [],
      asksFor: undefined,
    });
  });

  it('takes --flag=value and --flag value, and the last one wins', () => {
    expect(server('--secure-port=7443').serving.port).toBe(7443);
    expect(server('--secure-port', '0').serving.port).toBe(0);
    expect(server('--secure-port', '1', '--secure-port=2').serving.port).toBe(2);
    expect(server('--secure_port=3').serving.port).toBe(3);
    expect(parse(['-v', '4']).options.log.verbosity).toBe(4);
    expect(parse(['-v=5']).options.log.verbosity).toBe(5);
    expect(parse(['-v6']).options.log.verbosity).toBe(6);
  });

  it('takes switches with and without a value, and never the argument after them', () => {
    expect(server('--anonymous-auth').authentication.anonymous).toBe(true);
    expect(server('--anonymous-auth=false').authentication.anonymous).toBe(false);
    expect(server('--anonymous-auth=F').authentication.anonymous).toBe(false);
    expect(server('--enable-priority-and-fairness=false').limits.priorityAndFairness).toBe(false);
    expect(() => parse(['--anonymous-auth', 'false'])).toThrow('"false" is neither a flag nor a command');
    expect(() => parse(['--anonymous-auth=no'])).toThrow('--anonymous-auth: "no" is neither true nor false');
  });

  it('joins comma-separated lists and repetitions, and keeps arrays unchanged', () => {
    expect(server('--api-audiences=a,b', '--api-audiences', 'c').authentication.apiAudiences).toEqual(['a', 'b', 'c']);
    expect(server('--api-audiences=a,"b,c"').authentication.apiAudiences).toEqual(['a', 'b,c']);
    expect(
      server('--service-account-issuer=a,b', '--service-account-issuer=c').authentication.serviceAccounts.issuers,
    ).toEqual(['a,b', 'c']);
    expect(server('--authorization-mode=Node,RBAC').authorizationModes).toEqual(['Node', 'RBAC']);
    expect(server('--runtime-config=api/beta=true,apps/v1=false', '--runtime-config=batch/v1').runtimeConfig).toEqual([
      'api/beta=true',
      'apps/v1=false',
      'batch/v1',
    ]);
  });

  it('parses durations in every unit', () => {
    expect(server('--request-timeout=1m30s').limits.requestTimeoutMs).toBe(90_000);
    expect(server('--etcd-compaction-interval=0').compactionIntervalMs).toBe(0);
    expect(server('--event-ttl=90m').eventTtlSeconds).toBe(5_400);
    expect(server('--shutdown-delay-duration', '250ms').shutdownDelayMs).toBe(250);
    expect(server('--shutdown-send-retry-after').shutdownSendRetryAfter).toBe(true);
    expect(server('--goaway-chance=0.01').serving.goawayChance).toBe(0.01);
    expect(() => parse(['--goaway-chance=0.5'])).toThrow('--goaway-chance: "0.5" is not between 0 and 0.02');
    expect(() => parse(['--request-timeout=60'])).toThrow('--request-timeout: "60" is not a duration such as 30s');
    expect(() => parse(['--request-timeout=-1s'])).toThrow('is negative');
    expect(() => parse(['--event-ttl=0s'])).toThrow('must be more than zero');
  });

  it('parses the directives of Strict-Transport-Security', () => {
    const flag = '--strict-transport-security-directives';
    expect(server(`${flag}=max-age=31536000,includeSubDomains`).serving.strictTransportSecurity).toEqual([
      'max-age=31536000',
      'includeSubDomains',
    ]);
    for (const wrong of ['max-age', 'max-age=1=2', 'max-age=x', 'includesubdomains', 'max-age=1,,preload'])
      expect(() => parse([`${flag}=${wrong}`])).toThrow('is not a list of max-age=SECONDS');
  });

  it('parses certificate pairs for server names', () => {
    expect(
      server('--tls-sni-cert-key=a.crt,a.key:x.example,*.y.example', '--tls-sni-cert-key=b.crt,b.key').serving.sni,
    ).toEqual([
      { certFile: 'a.crt', keyFile: 'a.key', names: ['x.example', '*.y.example'] },
      { certFile: 'b.crt', keyFile: 'b.key', names: [] },
    ]);
    expect(() => parse(['--tls-sni-cert-key=a.crt'])).toThrow('is not of the form CERT,KEY');
  });

  it('starts the flags of a front proxy from empty lists, in any order of the flags', () => {
    const { requestHeader } = server(
      '--requestheader-group-headers=G',
      '--requestheader-client-ca-file=ca',
    ).authentication;
    expect(requestHeader).toEqual({
      clientCaFile: 'ca',
      allowedNames: [],
      usernameHeaders: [],
      uidHeaders: [],
      groupHeaders: ['G'],
      extraHeaderPrefixes: [],
    });
    expect(server().authentication.requestHeader.allowedNames).toEqual(['front-proxy-client']);
  });

  it('parses node ports as a range, a first port and a number, or one port', () => {
    const range = (text: string) => server(`--service-node-port-range=${text}`).network.nodePorts;
    expect(range('30000-32767')).toEqual({ first: 30000, size: 2768 });
    expect(range('30000+10')).toEqual({ first: 30000, size: 11 });
    expect(range('8080')).toEqual({ first: 8080, size: 1 });
    expect(() => range('9-8')).toThrow('--service-node-port-range: "9-8" is not a range of ports');
  });

  it('reports each flag without effect once, and still checks its value', () => {
    const args = ['--allow-privileged', '--kubelet-port=10250', '--allow-privileged=true', '--watch-cache'];
    expect(parse(args).ignoredFlags).toEqual(['--allow-privileged', '--kubelet-port']);
    expect(parse(['--watch-cache=false']).ignoredFlags).toEqual(['--watch-cache']);
    expect(() => parse(['--allow-privileged=perhaps'])).toThrow('--allow-privileged');
    expect(() => parse(['--kubelet-timeout=5'])).toThrow('--kubelet-timeout: "5" is not a duration');
  });

  it('refuses unknown flags with a suggestion', () => {
    expect(() => parse(['--secure-prot=1'])).toThrow('unknown flag --secure-prot: did you mean --secure-port?');
    expect(() => parse(['--make-coffee'])).toThrow('unknown flag --make-coffee: keelson --help lists the flags');
    expect(() => parse(['-x'])).toThrow('unknown flag -x');
    expect(() => parse(['--secure-port'])).toThrow('--secure-port needs a value');
    expect(() => parse(['--secure-port=70000'])).toThrow('--secure-port: "70000" is not between 0 and 65535');
    expect(() => parse(['--bind-address=here'])).toThrow('--bind-address: "here" is not an IP address');
  });

  it('takes the times of etcd, with the defaults of the reference', () => {
    expect(server().etcd).toMatchObject({
      leaseReuseSeconds: 60,
      healthCheckMs: 2_000,
      readyCheckMs: 2_000,
      countPollMs: 60_000,
      sizePollMs: 30_000,
    });
    const given = server(
      '--etcd-count-metric-poll-period=0',
      '--etcd-db-metric-poll-interval=90s',
      '--etcd-healthcheck-timeout=0',
      '--etcd-readycheck-timeout=500ms',
      '--lease-reuse-duration-seconds=10',
    );
    expect(given.etcd).toMatchObject({
      leaseReuseSeconds: 10,
      healthCheckMs: 0,
      readyCheckMs: 500,
      countPollMs: 0,
      sizePollMs: 90_000,
    });
    expect(() => server('--etcd-db-metric-poll-interval=30')).toThrow(
      '--etcd-db-metric-poll-interval: "30" is not a duration',
    );
  });

  it('accepts etcd, and keeps the data folder in the certificate folder of such a command line', () => {
    const line = parse(['--etcd-servers=http://a:1,http://b:2', '--etcd-servers-overrides=/events#http://c:3']);
    expect(line.options.server).toMatchObject({
      storage: 'etcd',
      etcd: { servers: ['http://a:1', 'http://b:2'], serversOverrides: ['/events#http://c:3'] },
    });
    expect(server('--etcd-servers=http://a:1', '--storage=memory').storage).toBe('memory');
    expect(line.ignoredFlags).toEqual([]);
    expect(server('--etcd-servers=http://a:1').dataDir).toBe('.keelson');
    expect(server('--etcd-servers=http://a:1', '--cert-dir=/tmp/c').dataDir).toBe('/tmp/c/keelson');
    expect(server('--etcd-servers=http://a:1', '--cert-dir=/tmp/c', '--data-dir=d').dataDir).toBe('d');
    expect(server('--cert-dir=/tmp/c').dataDir).toBe('.keelson');
  });

  it('takes a version to report, and prints a version otherwise', () => {
    expect(parse(['--version']).asksFor).toBe('version');
    expect(parse(['--version=true']).asksFor).toBe('version');
    expect(parse(['--version=raw']).asksFor).toBe('raw-version');
    expect(parse(['--version=false'])).toMatchObject({ asksFor: undefined, ignoredFlags: [] });
    expect(server('--version=v1.36.3-custom').reported.version).toBe('v1.36.3-custom');
    expect(server('--version=v1.36.3-custom', '--version=false').reported.version).toBe('v1.36.3-custom');
    expect(server('--version-commit=abc', '--version-tree-state=clean').reported).toEqual({
      version: '',
      commit: 'abc',
      treeState: 'clean',
    });
    expect(parse(['--version=v1.36.3', '--version']).asksFor).toBe('version');
    expect(() => parse(['--version=v1.36.4'])).toThrow(
      '--version: "v1.36.4" must be a version of v1.36.3, such as v1.36.3-custom',
    );
    expect(() => parse(['--version=1.36.3'])).toThrow('--version: "1.36.3" is neither true nor false');
  });

  it('reads the routing to extension API servers: unset, true and false', () => {
    const routing = (...args: string[]): string => server(...args).aggregation.routing;
    expect([routing(), routing('--enable-aggregator-routing'), routing('--enable-aggregator-routing=false')]).toEqual([
      'available',
      'endpoints',
      'cluster-ip',
    ]);
    expect(server('--aggregator-reject-forwarding-redirect=false').aggregation.rejectRedirects).toBe(false);
  });

  it('refuses flags of authentication and authorization that it does not support', () => {
    expect(() => parse(['--authorization-config=x'])).toThrow(
      'authorization configuration files are not supported yet',
    );
    expect(() => parse(['--authorization-mode=RBAC,Webhook'])).toThrow('contains "Webhook"');
  });

  it('accepts the command lines of kubeadm and of tests', () => {
    const kubeadm = `--advertise-address=10.0.0.4 --allow-privileged=true --authorization-mode=Node,RBAC
      --client-ca-file=/pki/ca.crt --enable-admission-plugins=NodeRestriction --enable-bootstrap-token-auth=true
      --kubelet-client-certificate=/pki/a.crt --kubelet-client-key=/pki/a.key
      --kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname --proxy-client-cert-file=/pki/f.crt
      --proxy-client-key-file=/pki/f.key --requestheader-allowed-names=front-proxy-client
      --requestheader-client-ca-file=/pki/front-proxy-ca.crt --requestheader-extra-headers-prefix=X-Remote-Extra-
      --requestheader-group-headers=X-Remote-Group --requestheader-username-headers=X-Remote-User --secure-port=6443
      --service-account-issuer=https://kubernetes.default.svc.cluster.local --service-account-key-file=/pki/sa.pub
      --service-account-signing-key-file=/pki/sa.key --service-cluster-ip-range=10.96.0.0/12
      --tls-cert-file=/pki/apiserver.crt --tls-private-key-file=/pki/apiserver.key`.split(/\s+/);
    expect(server(...kubeadm)).toMatchObject({
      serving: { advertiseAddress: '10.0.0.4', certFile: '/pki/apiserver.crt' },
      network: { serviceRange: '10.96.0.0/12', endpointReconciler: 'lease' },
      aggregation: { proxyClientCertFile: '/pki/f.crt', proxyClientKeyFile: '/pki/f.key', routing: 'available' },
    });
    const tests = `--feature-gates=A=true,kube:B=false --max-requests-inflight=1000 --min-request-timeout=300
      --audit-policy-file=p --audit-log-path=- --audit-log-mode=blocking --disable-admission-plugins=ServiceAccount`.split(
      /\s+/,
    );
    expect(parse(tests)).toMatchObject({
      ignoredFlags: ['--feature-gates=A', '--feature-gates=kube:B'],
      options: { server: { audit: { logPath: '-' } } },
    });
  });
});

describe('the flags', () => {
  it('have the group and the type of kube-apiserver', () => {
    const reference = referenceFlags();
    expect(reference.size).toBeGreaterThan(165);
    for (const flag of SERVER_FLAGS) {
      if (flag.group === 'Keelson') expect(reference.has(flag.name), flag.name).toBe(false);
      else expect(reference.get(flag.name), flag.name).toEqual({ name: flag.name, group: flag.group, type: flag.type });
    }
  });

  it('are all in the help, one per line, in their group', () => {
    const lines = serverHelp([['keelson [FLAGS]', 'start the server']]).split('\n');
    for (const { name, help } of SERVER_FLAGS) {
      const line = lines.filter((text) => new RegExp(`--${name}( |$)`).test(text) && text.endsWith(help));
      expect(line, name).toHaveLength(1);
    }
    expect(lines.filter((line) => line.endsWith('flags:'))).toContain('Secure serving flags:');
  });
});
