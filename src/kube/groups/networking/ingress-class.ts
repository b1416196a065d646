/** The kind IngressClass. Its controller is immutable. */
import { fieldAt, objectAt, textAt } from '../../../apimachinery/meta/object-fields.ts';
import {
  addIssues,
  type FieldIssue,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import { validateDomainPrefixedPath } from '../../../apimachinery/validation/label-syntax.ts';
import { nameIsDnsSubdomain } from '../../../apimachinery/validation/name-rules.ts';
import { checkDns1123Label } from '../../../apimachinery/validation/name-syntax.ts';
import { validateImmutableField } from '../../../apimachinery/validation/validate-object-meta-update.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import { utf8Length } from '../../../base/utf8.ts';
import { AGE, column, tableOf } from '../../../server/resource/columns.ts';
import { storedResource, strategyWithDefaults } from '../../../server/resource/stored-resource.ts';
import { metaFacts } from '../../../server/resource/strategy-fields.ts';
import type { TableDefinition } from '../../../server/resource/version-definition.ts';
import type { KubeResource } from '../../kube-context.ts';
import { builtInVersion } from '../../shared/built-in.ts';
import { validateKubeMeta, validateMetaUpdate } from '../../shared/validate-kube-meta.ts';
import { validateReference } from './ingress.ts';

const METADATA = FieldPath.of('metadata');
const CONTROLLER = FieldPath.of('spec', 'controller');
const PARAMETERS = FieldPath.of('spec', 'parameters');
const MAX_CONTROLLER = 250;
const SCOPES = ['Cluster', 'Namespace'];

const ingressClassTable: () => TableDefinition = tableOf(
  column(
    'Name',
    'The name of the object.',
    (object) => {
      const isDefault =
        textAt(object, 'metadata', 'annotations', 'ingressclass.kubernetes.io/is-default-class') === 'true';
      return textAt(object, 'metadata', 'name') + (isDefault ? ' (default)' : '');
    },
    { format: 'name' },
  ),
  column('Controller', 'Who serves the class.', (object) => textAt(object, 'spec', 'controller')),
  column('Parameters', 'More about the class.', parametersText),
  AGE,
);

export const INGRESS_CLASS: KubeResource = {
  definition: storedResource({
    plural: 'ingressclasses',
    scope: 'Cluster',
    versions: [
      builtInVersion({
        group: 'networking.k8s.io',
        version: 'v1',
        kind: 'IngressClass',
        setDefaults: setIngressClassDefaults,
        table: ingressClassTable,
      }),
    ],
    strategy: strategyWithDefaults({
      countsGeneration: true,
      validate: validateIngressClass,
      validatesMetadata: true,
      validateUpdate: validateIngressClassUpdate,
    }),
  }),
};

function parametersText(object: JsonObject): string {
  const parameters = objectAt(object, 'spec', 'parameters');
  if (parameters === undefined) return '<none>';
  const group = textAt(parameters, 'apiGroup');
  const kind = textAt(parameters, 'kind') + (parameters['apiGroup'] === undefined ? '' : `.${group}`);
  return `${kind}/${textAt(parameters, 'name')}`;
}

function setIngressClassDefaults(object: JsonObject): void {
  const parameters = objectAt(object, 'spec', 'parameters');
  if (parameters !== undefined && fieldAt(parameters, 'scope') === undefined) parameters['scope'] = 'Cluster';
}

function validateIngressClass(object: JsonObject): FieldIssue[] {
  const issues = validateKubeMeta(metaFacts(object), { namespaced: false, name: nameIsDnsSubdomain }, METADATA);
  const controller = textAt(object, 'spec', 'controller');
  if (utf8Length(controller) > MAX_CONTROLLER) issues.push(tooLong(CONTROLLER, undefined, MAX_CONTROLLER));
  addIssues(issues, validateDomainPrefixedPath(controller, CONTROLLER));
  const parameters = objectAt(object, 'spec', 'parameters');
  return parameters === undefined ? issues : [...issues, ...validateParameters(parameters)];
}

function validateIngressClassUpdate(object: JsonObject, old: JsonObject): FieldIssue[] {
  return [
    ...validateMetaUpdate(object, old),
    ...validateImmutableField(textAt(object, 'spec', 'controller'), textAt(old, 'spec', 'controller'), CONTROLLER),
    ...validateIngressClass(object),
  ];
}

function validateParameters(parameters: JsonObject): FieldIssue[] {
  const issues = validateReference(parameters, PARAMETERS);
  const [scope, namespace] = [fieldAt(parameters, 'scope'), fieldAt(parameters, 'namespace')];
  const path = PARAMETERS.child('namespace');
  if (typeof scope !== 'string') issues.push(required(PARAMETERS.child('scope'), ''));
  else if (!SCOPES.includes(scope)) issues.push(notSupported(PARAMETERS.child('scope'), scope, SCOPES));
  else if (scope === 'Cluster') {
    if (namespace !== undefined) issues.push(forbidden(path, "`parameters.scope` is set to 'Cluster'"));
  } else if (typeof namespace !== 'string') issues.push(required(path, "`parameters.scope` is set to 'Namespace'"));
  else issues.push(...checkDns1123Label(namespace).map((complaint) => invalid(path, namespace, complaint)));
  return issues;
}
