/** Actions as subresources: a POST decodes the body, calls the handler and answers with its result. */
import { formatGroupVersion } from '../../../apimachinery/meta/gvk.ts';
import { type Status, StatusError } from '../../../apimachinery/status/status.ts';
import { invalid, methodNotAllowed } from '../../../apimachinery/status/status-catalogue.ts';
import type { FieldIssue } from '../../../apimachinery/validation/field-issue.ts';
import { ConfigError } from '../../../base/errors.ts';
import { isJsonObject, type JsonObject } from '../../../base/json-value.ts';
import { writeJsonBytes } from '../../../base/json-write.ts';
import { parseObject } from '../../registry/stored-object.ts';
import type { SubresourceDefinition } from '../resource-definition.ts';
import type { CreateRequest, ResourceContext, ResourceStore, WriteAnswer } from '../resource-store.ts';
import type { ResourceAction } from './action.ts';
import { ActionRequest } from './action-request.ts';
import type { KitHooks } from './kit-hooks.ts';
import { refine } from './kit-hooks.ts';
import type { KitVersion } from './kit-version.ts';
import { actionVersion } from './kit-versions.ts';
import type { ObjectWriter } from './object-writer.ts';
import { isLibrarySchema } from './schema-source.ts';
import { partSchema } from './whole-schema.ts';

/** An action without its type parameters. */
type ErasedAction = ResourceAction<JsonObject>;

export interface ActionParts {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly hooks: KitHooks;
  /** Makes the writer of the parent's objects. */
  writer(parent: ResourceStore): ObjectWriter | undefined;
}

const ANY_OBJECT: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const SUCCESS: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
/** Fields of every body, which the handler does not get. */
const TYPE_FIELDS = ['apiVersion', 'kind', 'metadata'];

/** Throws ConfigError if the schema of the body or of the result is not structural. */
export function actionSubresource(name: string, action: ErasedAction, parts: ActionParts): SubresourceDefinition {
  const { group, plural, hooks } = parts;
  const kind = action.kind ?? parts.kind + name.charAt(0).toUpperCase() + name.slice(1);
  const names = { group, version: hooks.conversion.hub.version, plural };
  const body = partSchema(action.body, name, parts.kind);
  for (const field of TYPE_FIELDS)
    if (isJsonObject(body['properties'] ?? {}) && field in ((body['properties'] as JsonObject) ?? {}))
      throw new ConfigError(`the body of the action ${name} of ${parts.kind} must not have the field ${field}`);
  const version = actionVersion({ ...names, kind }, body);
  const result = action.result === undefined ? ANY_OBJECT : partSchema(action.result, name, parts.kind);
  const answer = actionVersion({ ...names, kind: `${kind}Result` }, result);
  const { description } = action;
  return {
    name,
    version,
    answer,
    ...(description === undefined ? undefined : { description }),
    store: (parent) => {
      const writer = parts.writer(parent);
      return {
        create: (context, object, request) =>
          runAction({ name, action, version, answer, parent, writer, hooks }, context, object, request),
      };
    },
  };
}

interface OpenAction {
  readonly name: string;
  readonly action: ErasedAction;
  readonly version: KitVersion;
  readonly answer: KitVersion;
  readonly parent: ResourceStore;
  readonly writer: ObjectWriter | undefined;
  readonly hooks: KitHooks;
}

async function runAction(
  open: OpenAction,
  context: ResourceContext,
  object: JsonObject,
  request: CreateRequest,
): Promise<WriteAnswer> {
  const { action, answer, parent, hooks } = open;
  const { group, version } = context.version;
  if (parent.get === undefined)
    throw new StatusError(methodNotAllowed({ group, resource: answer.kind }, `get for ${open.name} in ${version}`));
  const hubContext: ResourceContext = { ...context, version: hooks.conversion.hub };
  const bytes = await parent.get(hubContext, { resourceVersion: '' });
  const body = await checkedBody(open, context, object);
  await request.validate(object);
  const actionContext = new ActionRequest(hubContext, request.dryRun, open.writer);
  const result = await action.run(parseObject(bytes, context.name), body as never, actionContext);
  if (result === undefined) return { bytes, created: true, status: SUCCESS };
  const shown = { kind: answer.kind, apiVersion: formatGroupVersion(answer), ...(result as JsonObject) };
  return { bytes: writeJsonBytes(shown), created: true };
}

/** Returns the body without type fields and metadata. Throws the 422. */
async function checkedBody(
  { action, version }: OpenAction,
  { name }: ResourceContext,
  object: JsonObject,
): Promise<JsonObject> {
  const refuse = (issues: readonly FieldIssue[]): void => {
    const { group, kind } = version;
    if (issues.length > 0) throw new StatusError(invalid({ group, kind }, name, issues));
  };
  refuse(version.schema()?.validate(object) ?? []);
  const { apiVersion: _, kind: _k, metadata: _m, ...body } = object;
  if (isLibrarySchema(action.body)) refuse(await refine(action.body, '', body));
  return body;
}
