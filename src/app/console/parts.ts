import type { Sessions } from '../../admin/access.ts'
import type { ChannelGateway } from '../../admin/channels/service.ts'
import type { OwnPages } from '../../admin/open-groups/routes.ts'
import type { SetupCode } from '../../admin/sign-in/setup.ts'
import type { InProcessCall } from '../../gateway/serve/routes.ts'
import type { Clock, Repeat } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { SecretBox } from '../../lib/secrets.ts'
import type { StatusSource } from '../../site/status/pages.ts'
import type { CoolingRow } from '../../store/ports/counters.ts'
import type { Store } from '../../store/ports/store.ts'
import type { Config } from '../config/config.ts'
import type { LiveCatalog } from '../live-catalog.ts'
import type { MetricsSource } from '../metrics-listen.ts'
import type { ReleaseWatch } from '../updates/watch.ts'

/** What the console uses of the gateway. */
export interface ConsoleParts {
  readonly config: () => Config
  readonly store: Store
  readonly secrets: SecretBox
  readonly log: Logger
  readonly clock: Clock
  readonly metrics: MetricsSource
  /** Channels, keys and models in cooldown. */
  readonly coolings: () => readonly CoolingRow[]
  readonly catalog: LiveCatalog
  readonly status: StatusSource
  /** Public documents with what only the signed-in account may see. */
  readonly ownPages: OwnPages
  /** Answers a model request as its route does. */
  readonly askModel: (call: InProcessCall) => Promise<Response>
  /** Monotonic milliseconds for the limits of sessions. */
  readonly sessionTick: Clock
  readonly repeat?: Repeat | undefined
  readonly sessions?: Sessions | undefined
  /** To be called after each manual change; resolves when the gateway has applied it. */
  readonly changed: () => Promise<void>
  /** For changes of one token (by the hash of its key) or of accounts, which apply at once. */
  readonly tokenChanged: (keyHash: string) => void
  readonly accountsChanged: () => void
  readonly channels: ChannelGateway
  readonly newerRelease: ReleaseWatch['newer']
  readonly setupCode: SetupCode
}

/** The connection of a request. */
export interface Peer {
  readonly address: string
  /** Sets the idle timeout of the connection in seconds; 0: none. */
  readonly limitSilence: (seconds: number) => void
}

/** Finds the connection of a request that is being answered. */
export type PeerOf = (request: Request) => Peer | undefined
