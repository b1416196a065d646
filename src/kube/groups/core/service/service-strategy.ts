/** The strategy of Services. The store has allocated addresses and ports before its methods are called. */
import { objectAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../base/json-value.ts';
import { strategyWithDefaults } from '../../../../server/resource/stored-resource.ts';
import type { Strategy } from '../../../../server/resource/strategy.ts';
import { keepStatus } from '../../../../server/resource/strategy-fields.ts';
import { dropFieldsOfOldType } from './service-update.ts';
import { serviceWarnings } from './service-warnings.ts';
import { validateService, validateServiceUpdate } from './validate-service.ts';

export const SERVICE_STRATEGY: Strategy = strategyWithDefaults({
  allowCreateOnUpdate: true,
  prepareForCreate: emptyStatus,
  validate: validateService,
  validatesMetadata: true,
  warningsOnCreate: serviceWarnings,
  prepareForUpdate: (service, old) => {
    keepStatus(service, old);
    dropFieldsOfOldType(objectAt(service, 'spec') ?? {}, objectAt(old, 'spec') ?? {});
    if (textAt(service, 'spec', 'type') !== 'LoadBalancer') emptyBalancer(service);
  },
  validateUpdate: validateServiceUpdate,
  warningsOnUpdate: serviceWarnings,
  // Older versions stored internalTrafficPolicy for ExternalName Services, where it has no meaning.
  canonicalize: (service) => {
    const spec = objectAt(service, 'spec');
    if (spec !== undefined && textAt(spec, 'type') === 'ExternalName') delete spec['internalTrafficPolicy'];
  },
  returnsDeletedObject: true,
});

function emptyStatus(service: JsonObject): void {
  service['status'] = { loadBalancer: {} };
}

/** Replaces the status instead of modifying it: it is shared with the stored object. */
function emptyBalancer(service: JsonObject): void {
  service['status'] = { ...objectAt(service, 'status'), loadBalancer: {} };
}
