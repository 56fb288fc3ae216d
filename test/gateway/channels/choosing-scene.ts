import type { Channel } from '../../../src/catalog/catalog.ts'
import type { Option, Route } from '../../../src/gateway/admit/options.ts'
import { createBindings } from '../../../src/gateway/channels/bindings.ts'
import {
  type ChannelRequest,
  type Choice,
  type Chooser,
  createChooser,
} from '../../../src/gateway/channels/chooser.ts'
import { createHealth } from '../../../src/gateway/channels/health.ts'
import { createLoad } from '../../../src/gateway/channels/load.ts'
import { GatewayError } from '../../../src/gateway/errors.ts'
import type { Failure, FailureName } from '../../../src/gateway/failures/failures.ts'
import { createLimiter } from '../../../src/gateway/limits/limiter.ts'
import type { LogFields } from '../../../src/lib/log.ts'
import type { CoolingId, CoolingRow, HealthStore } from '../../../src/store/ports/counters.ts'
import { plainChannel } from '../../support/no-limits.ts'
import { createRandom } from '../../support/random.ts'

/** One whose places on channels are counted here. */
export type LocalChooser = Omit<Chooser, 'next'> & { next(): Choice | undefined }

/** A fixed time: 2026-11-21T08:00:00Z. */
export const startedAt = Date.parse('2026-11-21T08:00:00Z')

/** Both clocks of a test, held still until they are moved. */
export function createTime() {
  let passedMs = 0
  return {
    clock: () => startedAt + passedMs,
    tick: () => 1_000 + passedMs,
    pass(ms: number) {
      passedMs += ms
    },
  }
}

/** Lines of a log, as message and fields. */
export function createLines() {
  const lines: { readonly message: string; readonly fields: LogFields }[] = []
  const write = (message: string, fields: LogFields = {}) => void lines.push({ message, fields })
  return { lines, log: { info: write, warn: write, error: write } }
}

/** A store of health in memory that counts, and can be told to fail. */
export function createMemoryHealth(rows: readonly CoolingRow[] = []) {
  const textOf = ({ channelId, key, model }: CoolingId) => JSON.stringify([channelId, key, model])
  const stored = new Map(rows.map((row) => [textOf(row), row]))
  const state = { saves: 0, isFailing: false }
  const store: HealthStore = {
    load: async () => {
      if (state.isFailing) throw new Error('The store is locked.')
      return [...stored.values()]
    },
    async save(changed, ended) {
      state.saves++
      if (state.isFailing) throw new Error('The store is locked.')
      for (const row of ended) stored.delete(textOf(row))
      for (const row of changed) stored.set(textOf(row), row)
    },
    async clear(channelId) {
      const gone = [...stored].filter(([, row]) => row.channelId === channelId)
      for (const [text] of gone) stored.delete(text)
      return gone.length
    },
  }
  return { store, stored, state, rows: () => [...stored.values()] }
}

/** Tells nothing of the key. */
export const markOf = (key: string) => Bun.hash(key).toString(36)

/** A channel that speaks chat and has one key, where nothing else is said. */
export function channelOf(id: number, changes: Partial<Channel> = {}): Channel {
  return {
    ...plainChannel,
    ...{ id, name: `channel-${id}`, speaks: { chat: 'https://upstream.example/v1' } },
    ...{ keys: [`key-${id}`], priority: 0, weight: 1, allowPrivate: false, quirks: [] },
    timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1, totalMs: 1 },
    ...changes,
  }
}

/** A way to a channel; `asked` counts how often it was looked for. */
export interface TestOption extends Option {
  readonly state: { asked: number }
  readonly fits: boolean
}

/** An option that can express every request, or none. */
export function optionOf(
  channel: Channel,
  { isNative = true, fits = true, model = 'model' } = {},
): TestOption {
  const state = { asked: 0 }
  const route = () => {
    state.asked++
    if (!fits) throw new GatewayError('unsupported_parameter', 'It is refused.')
    return {} as Route
  }
  return { channel, upstreamModel: model, isNative, route, state, fits }
}

export const failureOf = (name: FailureName, retryAfterMs?: number): Failure => ({
  name,
  status: null,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})

/** Everything that choosing needs, with clocks that stand still. */
export function createScene() {
  const time = createTime()
  const { clock, tick, pass } = time
  const { lines, log } = createLines()
  const memory = createMemoryHealth()
  const health = createHealth({ clock, tick, store: memory.store, keyMark: markOf, log })
  const load = createLoad(tick)
  const bindings = createBindings(tick)
  const limiter = createLimiter(tick)
  const parts = { health, load, bindings, limiter, tick, random: createRandom(1) }
  const choose = createChooser(parts) as (asked: ChannelRequest) => LocalChooser
  const asking = (options: readonly Option[], changes: Partial<ChannelRequest> = {}) =>
    choose({
      options,
      tokenId: 1,
      conversation: undefined,
      llmTokens: 10,
      maxAttempts: 6,
      retryMs: 120_000,
      ...changes,
    })
  return { ...parts, pass, clock, lines, memory, choose, asking }
}
