/** The manifest of a backup, with the size and hash of each file. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeUtf8 } from '../../base/bytes.ts';
import { ConfigError, toError } from '../../base/errors.ts';
import { readJson } from '../../base/json-read.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.ts';
import { readTextFile } from '../../node/platform.ts';
import { StorageError } from '../../storage/errors.ts';

/** The name of the manifest in the folder of a backup. */
export const MANIFEST = 'backup.json';
const FORMAT = 1;
/**
 * The paths that a backup may contain. Other paths are refused, because a restore writes to the paths of the manifest.
 */
const PATH = /^(?:storage\/(?:data\.mdb|format)|pki\/[\w-][\w.-]*)$/;

export interface BackupFile {
  readonly bytes: number;
  readonly sha256: string;
}

export interface BackupManifest {
  /** The version of the program that made the backup. */
  readonly keelson: string;
  /** The time of the backup, in RFC 3339. */
  readonly created: string;
  /** The revision of the store. */
  readonly revision: number;
  /** The number of stored objects. */
  readonly objects: number;
  /** The files by their path in the backup folder, with forward slashes. */
  readonly files: Readonly<Record<string, BackupFile>>;
}

export function formatManifest(manifest: BackupManifest): string {
  return `${JSON.stringify({ format: FORMAT, ...manifest }, undefined, 2)}\n`;
}

/** Reads the manifest. Throws ConfigError if the folder is not a backup, or a backup of a newer format. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, MANIFEST);
  const text = await readTextFile(path);
  if (text === undefined) throw new ConfigError(`${folder} is not a backup: it has no file ${MANIFEST}`);
  const read = readJson(encodeUtf8(text));
  if (!read.ok || !isJsonObject(read.value)) throw new ConfigError(`${path} is not the manifest of a backup`);
  const { format, keelson, created, revision, objects, files } = read.value;
  if (typeof format === 'number' && format > FORMAT)
    throw new ConfigError(`${path} has format ${format}, and this program knows formats up to ${FORMAT}`);
  if (
    typeof keelson !== 'string' ||
    typeof created !== 'string' ||
    !isCount(revision) ||
    !isCount(objects) ||
    !isJsonObject(files ?? null)
  )
    throw new ConfigError(`${path} is not the manifest of a backup`);
  return { keelson, created, revision, objects, files: filesOf(path, files as JsonObject) };
}

function filesOf(path: string, files: JsonObject): BackupManifest['files'] {
  const checked: Record<string, BackupFile> = {};
  for (const [name, file] of Object.entries(files)) {
    const { bytes, sha256 } = isJsonObject(file) ? file : {};
    if (!PATH.test(name) || !isCount(bytes) || typeof sha256 !== 'string')
      throw new ConfigError(`${path}: the entry of the file ${JSON.stringify(name)} is not valid`);
    checked[name] = { bytes, sha256 };
  }
  if (checked['storage/data.mdb'] === undefined) throw new ConfigError(`${path} names no store`);
  return checked;
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Returns the size and hash of a file. Throws ConfigError if it cannot be read. */
export async function describeFile(path: string): Promise<BackupFile> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
  } catch (caught) {
    throw new ConfigError(`cannot read ${path}: ${toError(caught).message}`, { cause: caught });
  }
}

/** Throws StorageError `Corrupt` if a file of the folder differs from the manifest. */
export async function checkFiles(folder: string, { files }: BackupManifest): Promise<void> {
  for (const [name, expected] of Object.entries(files)) {
    const path = join(folder, name);
    const found = await describeFile(path);
    if (found.bytes !== expected.bytes || found.sha256 !== expected.sha256)
      throw new StorageError('Corrupt', `${path} is damaged: its hash is not that in ${MANIFEST}`);
  }
}
