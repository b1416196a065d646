/**
 * The limited resources of the plugin ResourceQuota: those that a namespace may use only if a quota covers them.
 */
import { type ConfigKind, configType, listType, structType, TEXT } from '../../../apimachinery/codec/config-object.ts';
import { formatGroupResource, type GroupResource } from '../../../apimachinery/meta/gvk.ts';
import { objectsAt, textAt, textsAt } from '../../../apimachinery/meta/object-fields.ts';
import { quantitySign } from '../../../apimachinery/scalars/quantity-arithmetic.ts';
import { type FieldIssue, required } from '../../../apimachinery/validation/field-issue.ts';
import { FieldPath } from '../../../apimachinery/validation/field-path.ts';
import type { JsonObject } from '../../../base/json-value.ts';
import type { ResourceAmounts } from '../../shared/resource-lists.ts';
import type { Evaluator, ScopeSelector } from './evaluator.ts';

export interface LimitedResource {
  /** The formatted group and resource. */
  readonly resource: string;
  /** A used amount is limited if its name contains one of these texts. */
  readonly contains: readonly string[];
  /** An object in one of these scopes is limited, whatever its resource is. */
  readonly scopes: readonly ScopeSelector[];
}

export const QUOTA_CONFIGURATION: ConfigKind = {
  kind: 'ResourceQuotaConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1'],
  older: {
    kind: 'Configuration',
    apiVersions: ['resourcequota.admission.k8s.io/v1beta1', 'resourcequota.admission.k8s.io/v1alpha1'],
  },
  strict: true,
  view: configType('v1.Configuration', {
    limitedResources: listType(
      structType('v1.LimitedResource', {
        apiGroup: TEXT,
        resource: TEXT,
        matchContains: listType(TEXT),
        matchScopes: listType(
          structType('v1.ScopedResourceSelectorRequirement', {
            scopeName: TEXT,
            operator: TEXT,
            values: listType(TEXT),
          }),
        ),
      }),
    ),
  }),
};

export function validateLimitedResources(configuration: JsonObject): readonly FieldIssue[] {
  return objectsAt(configuration, 'limitedResources').flatMap((limited, i) =>
    textAt(limited, 'resource') === ''
      ? [required(FieldPath.of('limitedResources').index(i).child('resource'), '')]
      : [],
  );
}

/** Reads a decoded configuration that is valid. */
export function limitedResourcesOf(configuration: JsonObject): readonly LimitedResource[] {
  return objectsAt(configuration, 'limitedResources').map((limited) => ({
    resource: formatGroupResource({ group: textAt(limited, 'apiGroup'), resource: textAt(limited, 'resource') }),
    contains: textsAt(limited, 'matchContains'),
    scopes: scopeSelectorsAt(limited, 'matchScopes'),
  }));
}

/** Reads the scope selectors at a path. */
export function scopeSelectorsAt(object: JsonObject, ...path: readonly string[]): readonly ScopeSelector[] {
  return objectsAt(object, ...path).map((selector) => ({
    scopeName: textAt(selector, 'scopeName'),
    operator: textAt(selector, 'operator'),
    values: textsAt(selector, 'values'),
  }));
}

/** Reports whether objects of the resource may be limited. */
export function mayBeLimited(
  limited: readonly LimitedResource[],
  resource: GroupResource,
  evaluator: Evaluator,
): boolean {
  const name = formatGroupResource(resource);
  return limited.some(
    (one) => one.resource === name || (one.scopes.length > 0 && evaluator.matchesScope !== undefined),
  );
}

/** Returns the names of used amounts that are limited. */
export function limitedNames(
  limited: readonly LimitedResource[],
  resource: GroupResource,
  usage: ResourceAmounts,
): readonly string[] {
  const name = formatGroupResource(resource);
  const texts = limited.filter((one) => one.resource === name).flatMap(({ contains }) => contains);
  return [...usage]
    .filter(([used, amount]) => quantitySign(amount) > 0 && texts.some((text) => used.includes(text)))
    .map(([used]) => used);
}

/** Returns the limited scopes that the object is in. */
export function limitedScopes(
  limited: readonly LimitedResource[],
  evaluator: Evaluator,
  object: JsonObject,
): readonly ScopeSelector[] {
  return limited.flatMap(({ scopes }) => scopes.filter((scope) => evaluator.matchesScope?.(scope, object) === true));
}
