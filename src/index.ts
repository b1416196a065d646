/** The front door. The server will be exported here; today these are the errors that every other door throws, and their guards. */
export {
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  isStatusError,
  type Status,
  type StatusCause,
  type StatusDetails,
  StatusError,
  type StatusReason,
} from './apimachinery/status/status.ts';
export {
  BugError,
  ConfigError,
  isBugError,
  isConfigError,
  isKeelsonError,
  isTransportError,
  KeelsonError,
  TransportError,
} from './base/errors.ts';
export type { JsonArray, JsonObject, JsonValue } from './base/json-value.ts';
