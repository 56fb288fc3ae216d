import { randomUUID } from 'node:crypto'
import { type Desk, openDesk } from '../../src/app/group/desk.ts'
import { createMemoryCounters } from '../../src/gateway/limits/memory-counters.ts'
import type { Repeat } from '../../src/lib/clock.ts'
import type { Logger } from '../../src/lib/log.ts'
import type { WorkerId } from '../../src/store/keeper/messages.ts'
import { type Keeper, openKeeper } from '../../src/store/keeper/open.ts'
import type { Counters } from '../../src/store/ports/counters.ts'
import type { Spool } from '../../src/store/ports/records.ts'
import type { Store } from '../../src/store/ports/store.ts'

export const silentLog: Logger = { info() {}, warn() {}, error() {} }
export const testSecret = 'the secret of a group in tests'

export interface LinkOptions {
  readonly address?: string
  readonly counters?: Counters
  readonly spool?: Spool
  readonly given?: () => unknown
  readonly log?: Logger
  readonly onFrozen?: () => void
  readonly isAlive?: (worker: WorkerId) => boolean
  readonly repeat?: Repeat
}

/** The keeper's end of a link to this store. */
export function openTestDesk(
  store: Parameters<typeof openDesk>[0]['store'],
  options: LinkOptions = {},
) {
  const address = options.address ?? `\0tollgate-test-${randomUUID()}`
  const counters =
    options.counters ?? createMemoryCounters({ tick: () => performance.now(), processes: () => 1 })
  const desk: Desk = openDesk({
    ...{
      address,
      secret: testSecret,
      store,
      counters,
      spool: options.spool,
      log: options.log ?? silentLog,
    },
    given: options.given ?? (() => null),
    ...(options.onFrozen && { onFrozen: options.onFrozen }),
    ...(options.isAlive && { isAlive: options.isAlive }),
    ...(options.repeat && { repeat: options.repeat }),
  })
  return { desk, address }
}

export type WorkerOptions = Partial<Omit<Parameters<typeof openKeeper>[0], 'worker'>> & {
  readonly index?: number
  readonly pid?: number
}

/** A worker's end of a link. */
export const openTestWorker = (
  address: string,
  { index = 0, pid = 1, ...rest }: WorkerOptions = {},
): Promise<Keeper> =>
  openKeeper({
    ...{ address, secret: testSecret, log: silentLog, worker: { index, pid } },
    onGiven() {},
    onAsk: (what) => what,
    ...rest,
  })

/** The parts of a store that go over a link, in place of its own. */
export const overLink = <Some extends Omit<Store, 'claimServing'>>(
  store: Some,
  { store: remote }: Keeper,
): Some => ({
  ...store,
  tokens: remote.tokens,
  answers: remote.answers,
  responses: remote.responses,
  health: remote.health,
  availability: remote.availability,
  catalog: { ...store.catalog, ...remote.catalog },
  edits: { ...store.edits, ...remote.edits },
  admin: { ...store.admin, ...remote.admin },
  records: { ...store.records, ...remote.records },
  check: remote.check,
})
