/**
 * Decides what to do with one automatically registered APIService. The rules are those of autoRegisterController
 * (kube-aggregator/pkg/controllers/autoregister).
 */

/** The values of the label AUTOMANAGED: synced once per start, or always. */
export type Automanaged = 'onstart' | 'true';

export const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';

export interface RegistrationState {
  /** The sync mode of the APIService; undefined if no server of this process has the version. */
  readonly desired: Automanaged | undefined;
  /** The stored APIService. Undefined: there is none. */
  readonly current:
    | {
        /** The value of the label AUTOMANAGED. Undefined: a user manages the APIService. */
        readonly managed: Automanaged | undefined;
        /** Whether the APIService existed before this server started. */
        readonly atStart: boolean;
        /** Whether the stored spec equals the desired one. */
        readonly matches: boolean;
      }
    | undefined;
  /** Whether the APIService was synced since the start of this server. */
  readonly synced: boolean;
}

/**
 * | stored                                 | not desired | desired on start | desired always |
 * |----------------------------------------|-------------|------------------|----------------|
 * | none                                   | -           | create once      | create         |
 * | managed by a user                      | -           | -                | -              |
 * | managed on start, made since the start | -           | -                | -              |
 * | managed on start, older than the start | delete once | update once      | update once    |
 * | managed always                         | delete      | update once      | update         |
 */
export function decideRegistration({
  desired,
  current,
  synced,
}: RegistrationState): 'create' | 'update' | 'delete' | 'none' {
  if (desired === 'onstart' && synced) return 'none';
  if (current === undefined) return desired === undefined ? 'none' : 'create';
  if (current.managed === undefined) return 'none';
  if (current.managed === 'onstart' && (synced || !current.atStart)) return 'none';
  if (desired === undefined) return 'delete';
  return current.matches ? 'none' : 'update';
}
