/**
 * The API extensions server, the last server of the delegation chain. It serves CustomResourceDefinitions and the
 * resources that they define. Invariants: nothing runs before `start()`, and requests for custom resources that arrive
 * earlier wait for it; requests for unknown resources reach the delegate unchanged; a definition that was written
 * through this server is known in the next request.
 */
import { toError } from '../base/errors.ts';
import type { JsonObject } from '../base/json-value.ts';
import type { Logger } from '../base/logger.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { factsFingerprint, typeName } from '../kinds/views.ts';
import type { Answer } from '../server/http/exchange.ts';
import type { RequestHandler, ServerRequest } from '../server/http/server-request.ts';
import { type CountedResource, countedResource } from '../server/resource/counted-resource.ts';
import { openResource } from '../server/resource/open-resource.ts';
import type { RegistryHost } from '../server/resource/registry-host.ts';
import type { StoredDefinition } from '../server/resource/resource-definition.ts';
import type { FollowUp } from '../server/resource/strategy.ts';
import { ResourceServer, type ResourceServerOptions } from '../server/resource-server.ts';
import { compileVersion } from './compile-version.ts';
import { type ConverterFactory, NO_CONVERTER } from './conversion/custom-converter.ts';
import type { Crd } from './crd.ts';
import { CrdLister } from './crd-lister.ts';
import { documentCustomResources } from './custom-resource/custom-openapi.ts';
import { CustomResources } from './custom-resource/custom-resources.ts';
import { PublishedResources } from './custom-resource/published-resources.ts';
import { crdDefinition } from './definition/crd-definition.ts';
import type { CheckCaBundle } from './definition/validation/check-ca-bundle.ts';
import { createSchemaChecks } from './definition/validation/create-schema-checks.ts';
import { DefinitionWriter } from './loops/definition-writer.ts';
import { FinalizingLoop } from './loops/finalizing-loop.ts';
import { removeLateInstances } from './loops/late-instances.ts';
import { StatusLoop } from './loops/status-loop.ts';

export interface ApiExtensionsServerOptions extends ResourceServerOptions {
  readonly host: RegistryHost;
  readonly logger: Logger;
  /** Checks the CA bundle of a conversion webhook. */
  readonly checkCaBundle: CheckCaBundle;
  /** Whether the storage must not be written: neither status nor finalizers of definitions change. Default false. */
  readonly readOnly?: boolean;
  /** Makes the converter between versions. Default: versions differ only in apiVersion. */
  readonly converter?: ConverterFactory;
}

export interface ApiExtensionsServer {
  readonly handle: RequestHandler;
  /** The declaration of the resource CustomResourceDefinition. */
  readonly definition: StoredDefinition;
  /** The definitions and the custom resources, to be counted for metrics. */
  counted(): readonly CountedResource[];
  /** Reads the stored definitions and, unless `readOnly`, starts the loops. Call it once. */
  start(): Promise<void>;
  /** Ends every watch cleanly, including watches that start later. */
  drain(): void;
  stop(): Promise<void>;
}

/** The priority that kube-apiserver gives the group apiextensions.k8s.io. */
const GROUP_PRIORITY = 16_700;
const VERSION_PRIORITY: Readonly<Record<string, number>> = { v1: 15, v1beta1: 9 };

export function createApiExtensionsServer(options: ApiExtensionsServerOptions): ApiExtensionsServer {
  const { host, logger, clock, checkCaBundle: caBundle } = options;
  const checks = createSchemaChecks();
  let lister: CrdLister | undefined;
  let started: (() => void) | undefined;
  const whenStarted = new Promise<void>((resolve) => {
    started = resolve;
  });

  const serveCustom = (request: ServerRequest): MaybePromise<Answer> =>
    custom.serve(request) ?? options.delegate(request);
  const delegate: RequestHandler = (request) => {
    if (!request.info.isResourceRequest) return options.delegate(request);
    if (lister === undefined) return whenStarted.then(() => delegate(request));
    const fresh = lister.fresh();
    return isPromise(fresh) ? fresh.then(() => serveCustom(request)) : serveCustom(request);
  };

  const server = new ResourceServer({ ...options, delegate });
  let status: StatusLoop | undefined;
  const followCreate = (object: JsonObject): FollowUp | undefined => status?.statusOnCreate(object);
  const definitions = openResource(crdDefinition({ checks, caBundle, followCreate }), host);
  server.install([definitions], {
    groupPriority: () => GROUP_PRIORITY,
    versionPriority: ({ version }) => VERSION_PRIORITY[version] ?? 0,
    typeName,
    typesFingerprint: factsFingerprint,
    ownsGroups: true,
  });
  const retired = async (crd: Crd): Promise<void> => {
    try {
      await removeLateInstances(crd, { host, definitions: definitions.definition });
    } catch (caught) {
      const reason = toError(caught).message;
      logger.warn('cannot look for objects of a removed CustomResourceDefinition', { name: crd.name, reason });
    }
  };
  const custom = new CustomResources(
    {
      registry: host,
      server,
      compile: compileVersion,
      converter: options.converter ?? NO_CONVERTER,
      ...(options.readOnly !== true && { retired: (crd: Crd) => void retired(crd) }),
    },
    new PublishedResources(options.discovery, options.openapi, documentCustomResources),
  );
  const loops: { stop(): Promise<void> }[] = [];

  const start = async (): Promise<void> => {
    const known = new CrdLister(await definitions.registry.lister());
    if (options.readOnly === true) {
      known.follow(custom.changed);
      lister = known;
      started?.();
      return;
    }
    const onFailure = (name: string, error: Error): void =>
      logger.warn('cannot update the status of a CustomResourceDefinition, retrying', {
        name,
        reason: error.message,
      });
    const writer = DefinitionWriter.over(definitions);
    const naming = new StatusLoop({ clock, lister: known, writer, checks, caBundle, onFailure });
    const finalizing = new FinalizingLoop({
      clock,
      lister: known,
      writer,
      handlerOf: (crd) => custom.handlerOf(crd),
      onFailure,
    });
    loops.push(naming, finalizing);
    naming.start();
    finalizing.start();
    // Custom resources are the first listener, so that a client that sees the condition Established finds the resource
    // served.
    known.follow(custom.changed, naming.changed, finalizing.changed);
    status = naming;
    lister = known;
    started?.();
  };

  return {
    handle: server.handle,
    definition: definitions.definition,
    counted: () => [countedResource(definitions), ...custom.counted()],
    start,
    drain: () => server.drain(),
    stop: async () => {
      server.drain();
      lister?.stop();
      await Promise.all(loops.map((loop) => loop.stop()));
      await custom.stop();
      await definitions.stop();
    },
  };
}
