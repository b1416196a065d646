/** Warnings about files of a volume whose paths overlap. */
import { quote } from '../../../../apimachinery/go-format.ts';
import { fieldAt, objectAt, objectsAt, textAt } from '../../../../apimachinery/meta/object-fields.ts';
import type { JsonObject } from '../../../../base/json-value.ts';

interface PlacedFile {
  readonly path: string;
  /** '' if the volume has only one source. */
  readonly source: string;
}

export function overlappingPathWarnings(volumes: readonly JsonObject[]): readonly string[] {
  return volumes.flatMap((volume) => {
    const name = quote(textAt(volume, 'name'));
    const warn = (what: string, files: readonly PlacedFile[]): string[] =>
      overlapsOf(files).map((overlap) => `volume ${name} (${what}): overlapping paths: ${overlap}`);
    const configMap = objectAt(volume, 'configMap');
    const secret = objectAt(volume, 'secret');
    const projected = objectAt(volume, 'projected');
    return [
      ...(configMap === undefined ? [] : warn(`ConfigMap ${quote(textAt(configMap, 'name'))}`, itemsOf(configMap, ''))),
      ...(secret === undefined ? [] : warn(`Secret ${quote(textAt(secret, 'secretName'))}`, itemsOf(secret, ''))),
      ...warn('DownwardAPI', itemsOf(objectAt(volume, 'downwardAPI') ?? {}, '')),
      ...(projected === undefined ? [] : projectedWarnings(name, projected, warn)),
    ];
  });
}

function projectedWarnings(
  name: string,
  projected: JsonObject,
  warn: (what: string, files: readonly PlacedFile[]) => string[],
): string[] {
  const sources = objectsAt(projected, 'sources');
  const empty = sources.filter((source) => Object.keys(source).length === 0);
  return [
    ...empty.map(() => `volume ${name} (Projected) has no sources provided`),
    ...warn('Projected', sources.flatMap(filesOf)),
  ];
}

function filesOf(source: JsonObject): readonly PlacedFile[] {
  const [configMap, secret, downward] = [
    objectAt(source, 'configMap'),
    objectAt(source, 'secret'),
    objectAt(source, 'downwardAPI'),
  ];
  if (configMap !== undefined && fieldAt(configMap, 'items') !== undefined)
    return itemsOf(configMap, `ConfigMap ${quote(textAt(configMap, 'name'))}`);
  if (secret !== undefined && fieldAt(secret, 'items') !== undefined)
    return itemsOf(secret, `Secret ${quote(textAt(secret, 'name'))}`);
  if (downward !== undefined && fieldAt(downward, 'items') !== undefined) return itemsOf(downward, 'DownwardAPI');
  const token = objectAt(source, 'serviceAccountToken');
  if (token !== undefined) return [{ path: textAt(token, 'path'), source: 'ServiceAccountToken' }];
  const bundle = objectAt(source, 'clusterTrustBundle');
  if (bundle !== undefined) {
    const bundleName = fieldAt(bundle, 'name') === undefined ? textAt(bundle, 'signerName') : textAt(bundle, 'name');
    return [{ path: textAt(bundle, 'path'), source: `ClusterTrustBundle ${quote(bundleName)}` }];
  }
  const certificate = objectAt(source, 'podCertificate') ?? {};
  return [
    ['certificateChainPath', 'PodCertificate chain'],
    ['keyPath', 'PodCertificate key'],
    ['credentialBundlePath', 'PodCertificate credential bundle'],
  ]
    .map(([field = '', what = '']) => ({ path: textAt(certificate, field), source: what }))
    .filter(({ path }) => path !== '');
}

function itemsOf(holder: JsonObject, source: string): readonly PlacedFile[] {
  return objectsAt(holder, 'items').map((item) => ({ path: textAt(item, 'path'), source }));
}

/** Each file is compared with all earlier ones. Bounds the number of pairs. */
const MAX_PAIRS = 500_000;
const MAX_OVERLAPS = 1000;

function overlapsOf(files: readonly PlacedFile[]): string[] {
  let pairs = 0;
  const overlaps: string[] = [];
  const seen: PlacedFile[] = [];
  for (const file of files) {
    const placed = { path: file.path.replace(/\/+$/, ''), source: file.source };
    for (const other of seen) {
      if (++pairs > MAX_PAIRS || overlaps.length >= MAX_OVERLAPS) return overlaps;
      if (overlap(other, placed)) overlaps.push(`${show(placed)} with ${show(other)}`);
    }
    seen.push(placed);
  }
  return overlaps;
}

function overlap(a: PlacedFile, b: PlacedFile): boolean {
  if (a.path === '' || b.path === '') return false;
  return `${a.path}/`.startsWith(`${b.path}/`) || `${b.path}/`.startsWith(`${a.path}/`);
}

function show({ path, source }: PlacedFile): string {
  return source === '' ? quote(path) : `${quote(path)} (${source})`;
}
