/**
 * The operations of a group-version: paths, methods, parameters, bodies and answers. An operation exists exactly if the
 * store has the verb. Documents of both OpenAPI versions are written from this list.
 */
import type { GroupVersion, GroupVersionKind } from '../../apimachinery/meta/gvk.ts';
import type { ResourceStore } from '../resource/resource-store.ts';
import type { OpenApiResource } from './openapi-publisher.ts';
import { identifier, operationTag, titleCase, versionId } from './operation-names.ts';
import {
  DELETE_COLLECTION_OPTIONS,
  DELETE_OPTIONS,
  LIST_OPTIONS,
  NAME,
  NAMESPACE,
  PATCH_OPTIONS,
  type Parameter,
  PRETTY,
  queryParameter,
  RESOURCE_VERSION,
  REST_OF_PATH,
  WRITE_OPTIONS,
} from './parameters.ts';

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
export type Method = (typeof METHODS)[number];

/** The content of a body or an answer: a type by its role, or plain text. */
export type Content = 'object' | 'answer' | 'list' | 'Status' | 'DeleteOptions' | 'Patch' | 'WatchEvent' | 'text';

export interface Operation {
  readonly path: string;
  readonly method: Method;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  /** `x-kubernetes-action`. */
  readonly action: string;
  readonly kind: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly content: Content; readonly isRequired: boolean; readonly consumes: readonly string[] };
  readonly answers: readonly { readonly code: 200 | 201 | 202; readonly content: Content }[];
  /** In the reference's order of preference. */
  readonly produces: readonly string[];
}

/** One resource, or one of its subresources, with the facts that its operations share. */
export interface Subject {
  readonly resource: OpenApiResource;
  /** '' for the resource itself. */
  readonly subresource: string;
  /** Undefined if it is that of the resource. */
  readonly ownKind: GroupVersionKind | undefined;
  readonly store: ResourceStore;
  /** Whether the kind of a create's answer is not that of its body. */
  readonly hasAnswer: boolean;
  /** Undefined: made from the names. */
  readonly description: string | undefined;
  readonly isBuiltIn: boolean;
}

/** Returns the resource, then its subresources. */
export function subjectsOf(resource: OpenApiResource): readonly Subject[] {
  const isBuiltIn = resource.version.unstructured !== true;
  const own: Subject = {
    resource,
    subresource: '',
    ownKind: undefined,
    store: resource.store,
    hasAnswer: false,
    description: undefined,
    isBuiltIn,
  };
  return [
    own,
    ...resource.subresources.map(({ name, version, store, answer, description }) => ({
      resource,
      subresource: name,
      ownKind: version === resource.version ? undefined : kindOf(version),
      store,
      hasAnswer: answer !== undefined,
      description,
      isBuiltIn,
    })),
  ];
}

/** The names from which paths and operations of a resource are made. */
export interface ResourceNames extends GroupVersionKind {
  /** `/apis/apps/v1`. */
  readonly root: string;
  /** `AppsV1`, part of the names of operations. */
  readonly id: string;
  /** `apps_v1`. */
  readonly tag: string;
  readonly plural: string;
}

/** The names that all resources of a group-version share. */
export type VersionNames = Pick<ResourceNames, 'root' | 'id' | 'tag'>;

export function versionNames(served: GroupVersion): VersionNames {
  return { root: rootPath(served), id: versionId(served), tag: operationTag(served.group, served.version) };
}

export function resourceNames(shared: VersionNames, { definition, version }: OpenApiResource): ResourceNames {
  return {
    ...shared,
    group: version.group,
    version: version.version,
    kind: version.kind,
    plural: definition.plural,
  };
}

/** Returns the root path of a group-version: `/api/v1`, `/apis/apps/v1`. */
export function rootPath({ group, version }: GroupVersion): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Returns the operations of a resource or subresource. */
export function operationsOf(names: ResourceNames, subject: Subject): readonly Operation[] {
  const maker = new OperationMaker(names, subject);
  return subject.subresource === '' ? maker.ofResource() : maker.ofSubresource();
}

const JSON_PATCHES = ['application/json-patch+json', 'application/merge-patch+json'];
const ANYTHING = ['*/*'];

class OperationMaker {
  readonly #names: ResourceNames;
  readonly #subject: Subject;
  readonly #isNamespaced: boolean;
  /** The paths of the collection and of one object. */
  readonly #collection: string;
  readonly #item: string;
  readonly #watchRoot: string;

  constructor(names: ResourceNames, subject: Subject) {
    this.#names = names;
    this.#subject = subject;
    const { plural, root } = names;
    this.#isNamespaced = subject.resource.definition.scope === 'Namespaced';
    const below = this.#isNamespaced ? `/namespaces/{namespace}/${plural}` : `/${plural}`;
    this.#collection = root + below;
    this.#item = `${this.#collection}/{name}${subject.subresource === '' ? '' : `/${subject.subresource}`}`;
    this.#watchRoot = `${root}/watch`;
  }

  ofResource(): readonly Operation[] {
    const { store } = this.#subject;
    const { kind } = this.#names;
    const all: Operation[] = [];
    if (store.list !== undefined || store.watch !== undefined) all.push(...this.#lists());
    if (store.create !== undefined) all.push(this.#create(this.#collection, `create a new ${kind}`));
    if (store.deleteCollection !== undefined)
      all.push(
        this.#operation('delete', 'delete', this.#collection, {
          name: `Collection${this.#qualified()}`,
          action: 'deletecollection',
          description: `delete every ${kind} that the selectors match`,
          ...(this.#subject.isBuiltIn
            ? {
                parameters: DELETE_COLLECTION_OPTIONS,
                body: { content: 'DeleteOptions', isRequired: false, consumes: ANYTHING },
              }
            : { parameters: LIST_OPTIONS }),
          answers: [[200, 'Status']],
        }),
      );
    all.push(...this.#ofItem());
    if (store.watch !== undefined) all.push(...this.#watches());
    return all;
  }

  ofSubresource(): readonly Operation[] {
    const { store, subresource, description } = this.#subject;
    const { kind } = this.#names;
    const all: Operation[] = [];
    if (store.create !== undefined)
      all.push(this.#create(this.#item, description ?? `create the ${subresource} of a ${kind}`));
    all.push(...this.#ofItem());
    for (const method of store.connect === undefined ? [] : (store.connectMethods ?? [])) {
      all.push(this.#connect(method, this.#item, ''));
      if (store.connectOptions?.takesPath === true) all.push(this.#connect(method, `${this.#item}/{path}`, 'WithPath'));
    }
    return all;
  }

  /** get, put, patch and delete of one object. */
  #ofItem(): Operation[] {
    const { store, subresource, isBuiltIn, resource } = this.#subject;
    const { kind } = this.#names;
    const what = subresource === '' ? `a ${kind}` : `the ${subresource} of a ${kind}`;
    const all: Operation[] = [];
    if (store.get !== undefined)
      all.push(
        this.#operation('get', 'read', this.#item, {
          action: 'get',
          description: `read ${what}`,
          ...(isBuiltIn ? {} : { parameters: [RESOURCE_VERSION] }),
        }),
      );
    if (store.update !== undefined)
      all.push(
        this.#operation('put', 'replace', this.#item, {
          action: 'put',
          description: `replace ${what}`,
          parameters: WRITE_OPTIONS,
          body: { content: 'object', isRequired: true, consumes: ANYTHING },
          answers: [
            [200, 'object'],
            [201, 'object'],
          ],
        }),
      );
    if (store.update !== undefined && store.get !== undefined)
      all.push(
        this.#operation('patch', 'patch', this.#item, {
          action: 'patch',
          description: `change some fields of ${what}`,
          parameters: PATCH_OPTIONS,
          body: {
            content: 'Patch',
            isRequired: true,
            consumes: [
              ...JSON_PATCHES,
              ...(resource.version.strategicMerge ? ['application/strategic-merge-patch+json'] : []),
              'application/apply-patch+yaml',
            ],
          },
          answers: isBuiltIn
            ? [
                [200, 'object'],
                [201, 'object'],
              ]
            : [[200, 'object']],
        }),
      );
    if (store.delete !== undefined) {
      const content = resource.definition.strategy.returnsDeletedObject === true ? 'object' : 'Status';
      all.push(
        this.#operation('delete', 'delete', this.#item, {
          action: 'delete',
          description: `delete ${what}`,
          parameters: DELETE_OPTIONS,
          body: { content: 'DeleteOptions', isRequired: false, consumes: ANYTHING },
          answers: [
            [200, content],
            [202, content],
          ],
        }),
      );
    }
    return all;
  }

  #create(path: string, description: string): Operation {
    const content = this.#subject.hasAnswer ? 'answer' : 'object';
    return this.#operation('post', 'create', path, {
      action: 'post',
      description,
      parameters: WRITE_OPTIONS,
      body: { content: 'object', isRequired: true, consumes: ANYTHING },
      answers: [
        [200, content],
        [201, content],
        [202, content],
      ],
    });
  }

  #lists(): Operation[] {
    const { kind } = this.#names;
    const facts = {
      action: 'list',
      description: `list or watch objects of kind ${kind}`,
      parameters: LIST_OPTIONS,
      answers: [[200, 'list']] as const,
      canStream: true,
    };
    const lists = [this.#operation('get', 'list', this.#collection, facts)];
    if (this.#isNamespaced) {
      const path = `${this.#names.root}/${this.#names.plural}`;
      lists.push(this.#operation('get', 'list', path, { ...facts, name: `${kind}ForAllNamespaces` }));
    }
    return lists;
  }

  /** Returns the operations of the deprecated paths below `/watch`. */
  #watches(): Operation[] {
    const { kind } = this.#names;
    const { plural, root } = this.#names;
    const below = this.#collection.slice(root.length);
    const watch = (path: string, action: string, name: string): Operation =>
      this.#operation('get', 'watch', this.#watchRoot + path, {
        name,
        action,
        description: `watch changes of objects of kind ${kind}; deprecated: use the parameter watch of a list`,
        parameters: LIST_OPTIONS,
        answers: [[200, 'WatchEvent']],
        canStream: true,
      });
    const watches = [watch(below, 'watchlist', `${this.#qualified()}List`)];
    if (this.#subject.store.get !== undefined) watches.push(watch(`${below}/{name}`, 'watch', this.#qualified()));
    if (this.#isNamespaced) watches.push(watch(`/${plural}`, 'watchlist', `${kind}ListForAllNamespaces`));
    return watches;
  }

  #connect(httpMethod: string, path: string, suffix: string): Operation {
    const { subresource, store, description } = this.#subject;
    const isRead = store.connectOptions?.isRead === true;
    const operation = this.#operation(httpMethod.toLowerCase() as Method, isRead ? 'read' : 'connect', path, {
      name: `${isRead ? '' : titleCase(httpMethod)}${this.#qualified()}${suffix}`,
      action: isRead ? 'get' : 'connect',
      description: isRead
        ? `read the ${subresource} of a ${this.#names.kind}`
        : (description ?? `connect ${httpMethod} requests to the ${subresource} of a ${this.#names.kind}`),
      parameters: this.#connectParameters(),
      answers: [[200, 'text']],
    });
    if (isRead) return { ...operation, produces: ['text/plain', ...operation.produces] };
    const parameters = operation.parameters.filter((parameter) => parameter !== PRETTY);
    return { ...operation, parameters, produces: ANYTHING };
  }

  /** Returns the fields of the subresource's options type as query parameters. */
  #connectParameters(): readonly Parameter[] {
    const { store, resource, subresource } = this.#subject;
    const own = resource.subresources.find(({ name }) => name === subresource)?.version;
    const options = store.connectOptions?.parameters?.() ?? (own === resource.version ? undefined : own?.type());
    return [...(options?.fields() ?? [])]
      .filter(({ name }) => name !== 'kind' && name !== 'apiVersion')
      .flatMap(({ name, type }) => queryParameter(name, type) ?? []);
  }

  /** `NamespacedPodStatus`. */
  #qualified(): string {
    return `${this.#isNamespaced ? 'Namespaced' : ''}${this.#names.kind}${titleCase(this.#subject.subresource)}`;
  }

  #operation(method: Method, verb: string, path: string, facts: OperationFacts): Operation {
    const { isBuiltIn, ownKind, hasAnswer } = this.#subject;
    // For a custom resource, the reference names its own kind at the subresources too.
    const kind = (isBuiltIn || hasAnswer ? ownKind : undefined) ?? this.#names;
    const inPath = [NAME, NAMESPACE, REST_OF_PATH].filter(({ name }) => path.includes(`{${name}}`));
    return {
      path,
      method,
      id: verb + this.#names.id + identifier(facts.name ?? this.#qualified(), true),
      tag: this.#names.tag,
      description: facts.description,
      action: facts.action,
      kind,
      parameters: [...inPath, ...(facts.parameters ?? []), PRETTY].sort((a, b) => (a.name < b.name ? -1 : 1)),
      ...(facts.body === undefined ? {} : { body: bodyOf(facts.body, isBuiltIn) }),
      answers: (facts.answers ?? [[200, 'object']]).map(([code, content]) => ({ code, content })),
      produces: mediaTypes(isBuiltIn, isBuiltIn && facts.canStream === true),
    };
  }
}

export function kindOf({ group, version, kind }: OpenApiResource['version']): GroupVersionKind {
  return { group, version, kind };
}

/** For custom resources the reference lists the media types of bodies. */
function bodyOf(body: NonNullable<Operation['body']>, isBuiltIn: boolean): NonNullable<Operation['body']> {
  return isBuiltIn || body.consumes !== ANYTHING ? body : { ...body, consumes: mediaTypes(false, false) };
}

interface OperationFacts {
  /** The name after verb, group and version. Default: scope, kind and subresource. */
  readonly name?: string;
  readonly action: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: Operation['body'];
  readonly answers?: readonly (readonly [code: 200 | 201 | 202, content: Content])[];
  readonly canStream?: boolean;
}

function mediaTypes(isBuiltIn: boolean, canStream: boolean): readonly string[] {
  const protobuf = 'application/vnd.kubernetes.protobuf';
  return [
    'application/json',
    'application/yaml',
    ...(isBuiltIn ? [protobuf] : []),
    ...(canStream ? ['application/json;stream=watch'] : []),
    ...(canStream && isBuiltIn ? [`${protobuf};stream=watch`] : []),
  ];
}
