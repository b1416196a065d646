/** Starts the control loops and provides their clients, discovery and stored objects. */
import type { Transport } from '../../apimachinery/http/transport.ts';
import { Lifetime, type Stoppable } from '../../base/lifetime.ts';
import type { Logger } from '../../base/logger.ts';
import { randomUuid } from '../../base/random.ts';
import { createClient } from '../../client/create-client.ts';
import { createInformerSet } from '../../client/informer-set.ts';
import { QuotaRules } from '../../kube/admission/resource-quota/quota-rules.ts';
import type { KubeServer } from '../../kube/server.ts';
import type { CertificateSigner } from '../../loops/loop.ts';
import { LOOPS } from '../../loops/loops.ts';
import type { LoopSelection } from '../../loops/select-loops.ts';
import { startLoops } from '../../loops/start-loops.ts';
import type { Issuer } from '../../pki/certificates.ts';
import { issuerOf } from '../../pki/issuer.ts';
import { LEGACY_ISSUER } from '../../pki/service-account-claims.ts';
import { createTokenSigner } from '../../pki/service-account-tokens.ts';
import { signRequest } from '../../pki/sign-request.ts';
import type { Loopback } from '../../server/filters/authentication/loopback.ts';
import type { GenericServer } from '../../server/generic-server.ts';
import type { Handler } from '../../server/http/exchange.ts';
import type { StoredForms } from '../../server/registry/stored-forms.ts';
import type { CompletedOptions } from '../complete-options.ts';
import { SCOPE } from '../etcd-keys.ts';
import { hostnameOf } from '../server-address.ts';
import { allStorages, type Storages, storageOfKey } from '../storages.ts';
import { startElectedLoops } from './elected-loops.ts';
import { loopUser, loopUserAgent, MANAGER_USER } from './loop-user.ts';
import { createPolicyTypes } from './policy-types.ts';
import { PublishedServedResources } from './published-resources.ts';
import { sharedWrites } from './shared-writes.ts';
import { createStorageObjects } from './storage-objects.ts';

export interface ControlLoopParts {
  readonly completed: CompletedOptions;
  readonly storages: Storages;
  /** Used to find the resource of a key. */
  readonly forms: StoredForms;
  readonly logger: Logger;
  readonly loopback: Loopback;
  /** Passes requests through the filters to all servers. */
  readonly handler: Handler;
  readonly server: GenericServer;
  readonly kube: KubeServer;
  readonly selected: LoopSelection;
}

/**
 * Starts the selected loops. On a storage that other servers may share, the loops run only while this server is the
 * leader. Called once, after the post-start hooks.
 */
export function startControlLoops(parts: ControlLoopParts): Stoppable {
  const { completed, storages, logger, loopback, handler, selected } = parts;
  const { options, platform } = completed;
  const hasLoops = LOOPS.some(({ name }) => selected(name));
  if (storages.main.embedded || !options.leaderElection.enabled || !hasLoops)
    return runLoops(parts, (transport) => transport);
  return startElectedLoops({
    options: options.leaderElection,
    identity: `${hostnameOf(platform)}_${randomUuid()}`,
    transport: loopback.transport(handler, undefined, { 'user-agent': loopUserAgent('leader-election') }),
    clock: platform.clock,
    logger,
    random: Math.random,
    start: (fence) => runLoops(parts, fence),
  });
}

function runLoops(parts: ControlLoopParts, fence: (transport: Transport) => Transport): Stoppable {
  const { storages, forms, logger, loopback, handler, server, kube, selected } = parts;
  const { options, platform, tls, serviceAccounts } = parts.completed;
  const { clock } = platform;
  const signer = createTokenSigner({ issuer: LEGACY_ISSUER, key: serviceAccounts.signingKey });
  const lifetime = new Lifetime('control loops');
  const served = new PublishedServedResources(server.discovery, clock);
  lifetime.add('discovery', () => served.stop());
  const loops = startLoops(
    {
      clientAs: (serviceAccount) =>
        createClient(
          fence(
            loopback.transport(handler, loopUser(serviceAccount), {
              'user-agent': loopUserAgent(serviceAccount ?? 'tokens-controller'),
            }),
          ),
        ),
      informers: createInformerSet({
        transport: loopback.transport(handler, MANAGER_USER, { 'user-agent': loopUserAgent('shared-informers') }),
        clock,
        random: Math.random,
        onFailure: (error, { kind, source }) =>
          logger.warn('an informer of the control loops failed, retrying', {
            resource: kind.plural,
            group: kind.group,
            source,
            reason: error.message,
          }),
      }),
      served,
      stored: createStorageObjects({
        storages: allStorages(storages),
        storageOfKey: (key) => storageOfKey(storages, forms, key),
        scope: SCOPE,
        clock,
        prefixOf: (group, plural) => kube.storagePrefix(group, plural),
        onTrouble: (error) => logger.error('the control loops lost their storage watch', error),
      }),
      writes: storages.main.embedded ? server.writes : sharedWrites(server.writes, clock),
      quotaRules: new QuotaRules(() => clock.now()),
      policyTypes: createPolicyTypes(loopback.transport(handler)),
      resourceQuotaSyncMs: options.resourceQuotaSyncMs,
      rootCa: tls.servingCaPem,
      signLegacyToken: (claims) => signer.sign(claims),
      certificates: certificateSigner(parts.completed),
      clock,
      logger,
      random: Math.random,
    },
    selected,
  );
  lifetime.add('loops', () => loops.stop());
  return lifetime;
}

/**
 * Returns the signer of client certificates. Undefined with `--client-ca-file`, because the server would not accept
 * client certificates of its own CA.
 */
function certificateSigner({ options, tls }: CompletedOptions): CertificateSigner | undefined {
  const { ca } = tls.pki;
  if (options.authentication.clientCaFile !== '' || ca.keyPem === undefined) return undefined;
  let issuer: Promise<Issuer> | undefined;
  return {
    sign: async (request, signing) => {
      issuer ??= issuerOf(ca);
      return signRequest(await issuer, request, signing);
    },
  };
}
