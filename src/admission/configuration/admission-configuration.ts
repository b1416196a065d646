/**
 * The file of `--admission-control-config-file`: an AdmissionConfiguration, which has a configuration for each of some
 * plugins, inline or in a file of its own.
 */
import {
  type ConfigKind,
  configType,
  decodeConfig,
  listType,
  structType,
  TEXT,
} from '../../apimachinery/codec/config-object.ts';
import { objectAt, objectsAt, textAt } from '../../apimachinery/meta/object-fields.ts';
import { type FieldIssue, formatIssues } from '../../apimachinery/validation/field-issue.ts';
import { ConfigError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json-value.ts';
import { writeJson } from '../../base/json-write.ts';

/** The entry of one plugin. */
export interface PluginEntry {
  readonly name: string;
  /**
   * The file with the configuration, absolute or relative to the folder of the AdmissionConfiguration. '' if inline.
   */
  readonly path: string;
  /** The inline configuration as JSON, which takes precedence. '' for none. */
  readonly text: string;
}

/** The text of a plugin's configuration. */
export interface PluginText {
  readonly plugin: string;
  readonly text: string;
  /** The file that has the text, for messages. */
  readonly path: string;
}

const ADMISSION_CONFIGURATION: ConfigKind = {
  kind: 'AdmissionConfiguration',
  apiVersions: ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1'],
  strict: true,
  view: configType('v1.AdmissionConfiguration', {
    plugins: listType(
      structType('v1.AdmissionPluginConfiguration', {
        name: TEXT,
        path: TEXT,
        configuration: { kind: 'any', raw: 'raw-extension' },
      }),
    ),
  }),
};

/** Parses the file. `path` is used in messages only. Throws ConfigError. */
export function parseAdmissionConfiguration(text: string, path: string): readonly PluginEntry[] {
  const decoded = decodeConfig(text, ADMISSION_CONFIGURATION);
  if (!decoded.ok) throw new ConfigError(`--admission-control-config-file: ${path}: ${decoded.message}`);
  return objectsAt(decoded.value, 'plugins').map((plugin) => {
    const inline = objectAt(plugin, 'configuration');
    return {
      name: textAt(plugin, 'name'),
      path: textAt(plugin, 'path'),
      text: inline === undefined ? '' : writeJson(inline),
    };
  });
}

/** Decodes the configuration of a plugin and validates it. Throws ConfigError with the plugin and all problems. */
export function decodePluginConfiguration(
  { plugin, text, path }: PluginText,
  kind: ConfigKind,
  validate: (configuration: JsonObject) => readonly FieldIssue[],
): JsonObject {
  const decoded = decodeConfig(text, kind);
  if (!decoded.ok) throw pluginConfigError(plugin, path, decoded.message);
  const issues = validate(decoded.value);
  if (issues.length > 0) throw pluginConfigError(plugin, path, formatIssues(issues));
  return decoded.value;
}

/** Returns the error of a plugin whose configuration cannot be used. */
export function pluginConfigError(plugin: string, path: string, problem: string): ConfigError {
  return new ConfigError(`--admission-control-config-file: ${path}: the admission plugin ${plugin}: ${problem}`);
}
