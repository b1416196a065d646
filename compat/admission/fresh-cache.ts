/** The wait until the watch cache of a server has the last version of an object. */
import { ask, type Client } from '../diff/client.ts';
import { waitUntil } from './install-wait.ts';

const NO_VARIABLES: ReadonlyMap<string, string> = new Map();

/**
 * Waits until both kinds of read agree. kube-apiserver starts an update with the cached object, and repeats it with
 * reviews of its own if that object is old. An object that a mutation renamed is under its new name in the cache.
 * This function does not wait for such an object.
 */
export async function cacheIsFresh(client: Client, path: string): Promise<void> {
  const read = async (query: string): Promise<{ readonly name?: string; readonly resourceVersion?: string }> => {
    const { text } = await ask(client, { method: 'GET', path: `${path}${query}` }, NO_VARIABLES);
    return (JSON.parse(text) as { metadata: { name?: string; resourceVersion?: string } }).metadata;
  };
  await waitUntil(client.peer.name, async () => {
    const { name, resourceVersion } = await read('');
    const isRenamed = name !== undefined && !path.endsWith(`/${name}`);
    const isFresh = isRenamed || resourceVersion === (await read('?resourceVersion=0')).resourceVersion;
    return isFresh ? [] : [`the last version of ${path}`];
  });
}
