/** The types that every API server answers with: those of meta.k8s.io, discovery, `/version`, and Scale. */
import { apidiscoveryV2 } from './generated/apidiscovery-v2.ts';
import { apidiscoveryV2beta1 } from './generated/apidiscovery-v2beta1.ts';
import { metaV1 } from './generated/meta-v1.ts';
import { version } from './generated/version.ts';
import { SCALE_FACTS } from './scale-facts.ts';
import { TypeViews } from './type-views.ts';

/**
 * For a server without built-in kinds. A server with them uses the registry of all kinds, which contains these types
 * too.
 */
export const META_TYPE_VIEWS: TypeViews = new TypeViews([
  apidiscoveryV2,
  apidiscoveryV2beta1,
  metaV1,
  version,
  SCALE_FACTS,
]);
