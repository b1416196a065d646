/** The types of metadata in generated TypeScript files: their own, or those of a package. */

export type MetadataSource = 'own' | 'client-node' | 'keelson';

export interface MetadataTypes {
  /** The lines that import the types into `<group>/<version>.ts`. */
  readonly importLine: string;
  /** The imported names. */
  readonly names: readonly string[];
  readonly objectMeta: string;
  readonly listMeta: string;
  /** The text after the name of the interface of a kind. */
  readonly extendsObject: string;
  /** The text after the name of the interface of a list. `kind` is the type of the items. */
  extendsList(kind: string): string;
  /**
   * Whether `apiVersion`, `kind` and `metadata` are optional, as in the types of the built-in kinds, and each kind has
   * a token.
   */
  readonly hasTokens: boolean;
  /** The file that declares the types. Undefined if a package does. */
  readonly file: { readonly path: string; readonly text: string } | undefined;
}

export function metadataOf(source: MetadataSource): MetadataTypes {
  return SOURCES[source];
}

/** The words are apart, so that a search for the imports of this file does not find them. */
function importLine(names: readonly string[], module: string): string {
  return ['import type', `{ ${names.join(', ')} }`, 'from', `'${module}';`].join(' ');
}

const OWN_TEXT = `export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: { [key: string]: string };
  annotations?: { [key: string]: string };
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: unknown[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}
`;

const OWN_NAMES = ['ListMeta', 'ObjectMeta'];
const OWN: MetadataTypes = {
  // TypeScript finds meta.ts under this name, whatever its module resolution is.
  importLine: importLine(OWN_NAMES, '../meta.js'),
  names: OWN_NAMES,
  objectMeta: 'ObjectMeta',
  listMeta: 'ListMeta',
  extendsObject: '',
  extendsList: () => '',
  hasTokens: false,
  file: { path: 'meta.ts', text: OWN_TEXT },
};

const CLIENT_NODE_NAMES = ['KubernetesListObject', 'KubernetesObject', 'V1ListMeta', 'V1ObjectMeta'];
const CLIENT_NODE: MetadataTypes = {
  importLine: importLine(CLIENT_NODE_NAMES, '@kubernetes/client-node'),
  names: CLIENT_NODE_NAMES,
  objectMeta: 'V1ObjectMeta',
  listMeta: 'V1ListMeta',
  extendsObject: ' extends KubernetesObject',
  extendsList: (kind) => ` extends KubernetesListObject<${kind}>`,
  hasTokens: false,
  file: undefined,
};

const KEELSON: MetadataTypes = {
  importLine: `${importLine(['Kind'], 'keelson/kinds')}\n${importLine(OWN_NAMES, 'keelson/kinds/meta/v1')}`,
  names: ['Kind', ...OWN_NAMES],
  objectMeta: 'ObjectMeta',
  listMeta: 'ListMeta',
  extendsObject: '',
  extendsList: () => '',
  hasTokens: true,
  file: undefined,
};

const SOURCES: Readonly<Record<MetadataSource, MetadataTypes>> = {
  own: OWN,
  'client-node': CLIENT_NODE,
  keelson: KEELSON,
};
