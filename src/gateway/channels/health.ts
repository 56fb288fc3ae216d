import type { Catalog, Channel } from '../../catalog/catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { CoolingId, CoolingRow, HealthStore } from '../../store/ports/counters.ts'
import type { Cooling } from '../failures/failures.ts'
import { type CoolingSaver, createCoolingSaver, createInventory } from './cooling-saver.ts'
import {
  type Blow,
  type CoolingEntry,
  createCoolingTable,
  durationMs,
  freeTick,
  idOf,
  isForgotten,
  reasonable,
} from './cooling-table.ts'

/**
 * How a key stands for a model; `trial`: it has cooled, and the next request is the half-open
 * probe.
 */
export type Standing = 'ready' | 'trial' | 'cooling'

/** One use of a channel's key for a model, from sending to the end of the answer. */
export interface Use {
  readonly channel: Channel
  readonly key: string
  readonly model: string
  /** It is the one that finds out whether the cooling was long enough. */
  readonly isTrial: boolean
  /** How many coolings had begun before it. */
  readonly turn: number
  state: 'begun' | 'answered' | 'failed'
}

/** What cools at present: kept in memory, written behind, and taken over at the next start. */
export type Health = ReturnType<typeof createHealth>

interface HealthParts {
  readonly clock: Clock
  /** Monotonic, so that nothing cools longer because a clock was set. */
  readonly tick: Clock
  readonly store: HealthStore
  /** A keyed hash of a key, without spaces: what is stored and logged of it. */
  readonly keyMark: (key: string) => string
  readonly log: Logger
  /** False: nothing cools, and what did is forgotten; left out: true. */
  readonly isOn?: () => boolean
  /** Told of what begins and ends here, for other nodes. */
  readonly share?: Pick<CoolingSaver, 'changed' | 'ended'> | undefined
  readonly saveMs?: number
}

const sweepMs = 60_000
/** Whoever has begun or heard of a cooling: by then it was written. */
const writtenMs = 5_000

/** Begins with nothing: `load` takes over what was saved. */
export function createHealth(parts: HealthParts) {
  const { clock, tick, log, isOn = () => true } = parts
  const saver = createCoolingSaver({ ...parts, delayMs: parts.saveMs ?? 1_000 })
  const { share } = parts
  const table = createCoolingTable(({ row }) => row && tellEnded(row))
  const inventory = createInventory(parts.keyMark)
  /** Counts coolings: what was begun before one is known by its smaller number. */
  let turn = 0
  let sweptTick = tick()

  function tellChanged(row: CoolingRow): void {
    saver.changed(row)
    share?.changed(row)
  }

  function tellEnded(row: CoolingRow): void {
    saver.ended(row)
    share?.ended(row)
  }

  function adopt(row: CoolingRow): CoolingEntry {
    const entry = table.get(row) ?? table.add(row)
    entry.row = row
    entry.touchedTick = tick()
    // A clock that was set back prolongs nothing.
    entry.endsTick = tick() + Math.min(row.until - clock(), row.until - row.since)
    return entry
  }

  const covering = ({ channel, key, model }: Pick<Use, 'channel' | 'key' | 'model'>) =>
    table.has(channel.id) ? table.covering(channel.id, inventory.markOf(key), model) : []

  function standing(channel: Channel, key: string, model: string): Standing {
    if (!table.has(channel.id)) return 'ready'
    const now = tick()
    const cooling = covering({ channel, key, model }).filter((entry) => entry.row)
    if (cooling.length === 0) return 'ready'
    return cooling.some((entry) => freeTick(entry, now) > now) ? 'cooling' : 'trial'
  }

  function forget(entry: CoolingEntry): void {
    table.delete(entry)
    if (entry.row) tellEnded(entry.row)
  }

  /** What lies far back is in no row with what comes, and no memory is kept for it. */
  function sweep(now: number): void {
    if (now - sweptTick < sweepMs) return
    sweptTick = now
    for (const entry of table.all()) if (isForgotten(entry, now)) forget(entry)
  }

  function cool(entry: CoolingEntry, channel: Channel, name: string, ms: number): void {
    const now = clock()
    const { since = now, rounds = 0 } = entry.row ?? {}
    entry.row = { ...entry.id, cause: name, since, until: now + ms, rounds: rounds + 1 }
    entry.endsTick = tick() + ms
    entry.turn = ++turn
    entry.trial = undefined
    tellChanged(entry.row)
    const facts = { cause: name, for_ms: ms, rounds: entry.row.rounds }
    log.warn('channel cools', { ...partOf(entry.id, channel), ...facts })
  }

  /** The upstream asks for more time than it was given. */
  function prolong(entry: CoolingEntry, { name, retryAfterMs }: Blow): void {
    const { row } = entry
    if (row === undefined || retryAfterMs === undefined) return
    const ms = reasonable(retryAfterMs)
    if (tick() + ms <= entry.endsTick) return
    entry.endsTick = tick() + ms
    entry.row = { ...row, cause: name, until: clock() + ms }
    tellChanged(entry.row)
  }

  function strike(entry: CoolingEntry, use: Use, blow: Blow, cools: Cooling): void {
    const now = tick()
    // Begun before it cooled, or let through while it does: the same outage, not one more.
    const isKnown = use.turn < entry.turn || (entry.row && entry.endsTick > now)
    if (isKnown) {
      prolong(entry, blow)
      return
    }
    if (use.state === 'answered') entry.breaks++
    else entry.strikes++
    entry.touchedTick = now
    const mayGoOn = entry.strikes + entry.breaks < cools.strikes
    if (mayGoOn && entry.row === undefined) return
    cool(entry, use.channel, blow.name, durationMs(cools, entry, blow.retryAfterMs))
  }

  /** What must be in the store by now, whichever node has written it. */
  function stored(): CoolingRow[] {
    const latest = tick() - writtenMs
    return [...table.all()].flatMap(({ row, touchedTick }) =>
      row && touchedTick < latest ? row : [],
    )
  }

  function end(entry: CoolingEntry, channel: Channel): void {
    log.info('channel is well again', partOf(entry.id, channel))
    if (entry.row) tellEnded(entry.row)
    entry.row = undefined
    entry.touchedTick = tick()
  }

  return {
    standing,
    /** How long until it may be tried, in milliseconds; 0 unless it cools. */
    coolingMs(channel: Channel, key: string, model: string): number {
      const now = tick()
      const ends = covering({ channel, key, model }).map((entry) => freeTick(entry, now))
      return Math.max(now, ...ends) - now
    },
    begin(channel: Channel, key: string, model: string): Use {
      const isTrial = standing(channel, key, model) === 'trial'
      const use: Use = { channel, key, model, isTrial, turn, state: 'begun' }
      if (!isTrial) return use
      for (const entry of covering(use)) {
        if (entry.row === undefined) continue
        entry.trial = use
        entry.trialTick = tick()
      }
      return use
    },
    /** The answer has begun well: what says otherwise of its channel, key or model has ended. */
    succeeded(use: Use): void {
      if (use.state === 'begun') use.state = 'answered'
      for (const entry of covering(use)) {
        leaveTrial(entry, use)
        entry.strikes = 0
        if (entry.row && use.turn >= entry.turn) end(entry, use.channel)
      }
    },
    /** It came to nothing, or its answer broke after it had begun. */
    failed(use: Use, blow: Blow): void {
      for (const entry of covering(use)) leaveTrial(entry, use)
      const { cools } = blow
      if (cools !== null && isOn()) {
        sweep(tick())
        const id = idOf(cools, { ...use, mark: inventory.markOf(use.key) })
        strike(table.get(id) ?? table.add(id), use, blow, cools)
      }
      use.state = 'failed'
    },
    ended(use: Use): void {
      for (const entry of covering(use)) {
        leaveTrial(entry, use)
        if (use.state !== 'answered') continue
        entry.strikes = entry.breaks = 0
        // One that has cooled is kept: what was begun before that may still come to its end.
        if (entry.row === undefined && entry.turn === 0) table.delete(entry)
      }
    },
    /** What cools now, without what waits for its trial. */
    coolings(): readonly CoolingRow[] {
      const now = tick()
      return [...table.all()].flatMap(({ row, endsTick }) => (row && endsTick > now ? row : []))
    },
    /** The operator says that a channel is well: all that is held against it is forgotten. */
    recover(channelId: number): void {
      for (const entry of [...table.all()]) if (entry.id.channelId === channelId) forget(entry)
    },
    /** Takes over what was saved, with the time that is left. Rejects when it can't be read. */
    async load(): Promise<void> {
      const rows = await parts.store.load()
      saver.found(rows)
      for (const row of rows) adopt(row)
    },
    /** Forgets what the catalog has not any more, and what the operator has ended. Never rejects. */
    async refresh(catalog: Catalog): Promise<void> {
      const isThere = inventory.of(catalog, table.all())
      for (const entry of [...table.all()]) if (!isOn() || !isThere(entry.id)) forget(entry)
      saver.found(stored())
      for (const row of await saver.removed()) {
        const entry = table.get(row)
        // What has begun since is another outage.
        if (entry && (entry.row?.since ?? 0) <= row.since) table.delete(entry)
        share?.ended(row)
      }
    },
    /** What other nodes have told; neither saved nor told again. */
    heard(rows: readonly CoolingRow[], ended: readonly CoolingId[]): void {
      for (const row of isOn() ? rows : []) {
        const known = table.get(row)?.row
        if (known && known.rounds === row.rounds && known.until === row.until) continue
        const entry = adopt(row)
        entry.turn = ++turn
        entry.trial = undefined
      }
      for (const id of ended) {
        const entry = table.get(id)
        if (entry) entry.row = undefined
      }
    },
    /** Writes what was not written yet. Never rejects. */
    flush: saver.flush,
  }
}

function leaveTrial(entry: CoolingEntry, use: Use): void {
  if (entry.trial === use) entry.trial = undefined
}

const partOf = ({ key, model }: CoolingId, { name }: Channel) => ({
  channel: name,
  ...(key && { key }),
  ...(model && { model }),
})
