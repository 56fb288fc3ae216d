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

/** What the console works on. */
export interface ConsoleParts {
  readonly config: () => Config
  readonly store: Store
  readonly secrets: SecretBox
  readonly log: Logger
  readonly clock: Clock
  readonly metrics: MetricsSource
  /** Parts of channels that are left alone for a while. */
  readonly coolings: () => readonly CoolingRow[]
  readonly catalog: LiveCatalog
  /** How well requests are answered. */
  readonly status: StatusSource
  /** What public pages do not show, for who may see it. */
  readonly ownPages: OwnPages
  /** Answers a model request as its route does. */
  readonly askModel: (call: InProcessCall) => Promise<Response>
  /** Monotonic, in milliseconds: what limits of sessions go by. */
  readonly sessionTick: Clock
  /** Timers of live views; given by tests. */
  readonly repeat?: Repeat | undefined
  /** Who is signed in; given by tests that begin behind the sign-in. */
  readonly sessions?: Sessions | undefined
  /** To be called after each change by hand: the gateway follows it before this resolves. */
  readonly changed: () => Promise<void>
  /** The same after a change of one token, named by the hash of its key, or of accounts: at once. */
  readonly tokenChanged: (keyHash: string) => void
  readonly accountsChanged: () => void
  readonly channels: ChannelGateway
  /** The code that makes the first administrator. */
  readonly setupCode: SetupCode
}

/** The connection that a request came by. */
export interface Peer {
  /** Of the socket's other end. */
  readonly address: string
  /** Sets how long it may be silent, in seconds; 0: for ever. */
  readonly limitSilence: (seconds: number) => void
}

/** Finds the connection of a request that is being answered. */
export type PeerOf = (request: Request) => Peer | undefined
