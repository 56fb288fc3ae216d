import type { Catalog, Channel } from '../../catalog/catalog.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { CoolingId, CoolingRow, HealthStore } from '../../store/ports/counters.ts'
import type { Cooling } from '../failures/failures.ts'
import { type CoolingSaver, createCoolingSaver, createInventory } from './cooling-saver.ts'
import {
  type CoolingEntry,
  createCoolingTable,
  durationMs,
  freeTick,
  type HealthFailure,
  idOf,
  isForgotten,
  reasonable,
} from './cooling-table.ts'

/** How a key stands for a model; `trial`: the next request is the half-open probe. */
export type Standing = 'ready' | 'trial' | 'cooling'

export interface Use {
  readonly channel: Channel
  readonly key: string
  readonly model: string
  readonly isTrial: boolean
  readonly cooldownNo: number
  state: 'begun' | 'answered' | 'failed'
}

/** Cooldowns, kept in memory, saved in the background, and loaded at the next start. */
export type Health = ReturnType<typeof createHealth>

interface HealthParts {
  readonly clock: Clock
  readonly tick: Clock
  readonly store: HealthStore
  /** A keyed hash of a key, without spaces: what is stored and logged of it. */
  readonly keyMark: (key: string) => string
  readonly log: Logger
  readonly isOn?: () => boolean
  readonly share?: Pick<CoolingSaver, 'changed' | 'ended'> | undefined
  readonly saveMs?: number
}

const sweepMs = 60_000
/** By then a new cooldown was written. */
const writtenMs = 5_000

export function createHealth(parts: HealthParts) {
  const { clock, tick, log, keyMark, isOn = () => true } = parts
  const saver = createCoolingSaver(parts.store, parts.log, parts.saveMs ?? 1_000)
  const { share } = parts
  const table = createCoolingTable(({ row }) => row && reportEnded(row))
  /** Counts cooldowns: a use begun before one has a smaller number. */
  let cooldownNo = 0
  let sweptTick = tick()

  function reportChanged(row: CoolingRow): void {
    saver.changed(row)
    share?.changed(row)
  }

  function reportEnded(row: CoolingRow): void {
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
    table.has(channel.id) ? table.covering(channel.id, keyMark(key), model) : []

  function standing(channel: Channel, key: string, model: string): Standing {
    if (!table.has(channel.id)) return 'ready'
    const now = tick()
    const cooling = covering({ channel, key, model }).filter((entry) => entry.row)
    if (cooling.length === 0) return 'ready'
    return cooling.some((entry) => freeTick(entry, now) > now) ? 'cooling' : 'trial'
  }

  function forget(entry: CoolingEntry): void {
    table.delete(entry)
    if (entry.row) reportEnded(entry.row)
  }

  /** Old strikes do not add up with new ones, and take no memory. */
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
    entry.cooldownNo = ++cooldownNo
    entry.trial = undefined
    reportChanged(entry.row)
    const facts = { cause: name, for_ms: ms, rounds: entry.row.rounds }
    log.warn('channel cools', { ...partOf(entry.id, channel), ...facts })
  }

  function prolong(entry: CoolingEntry, { name, retryAfterMs }: HealthFailure): void {
    const { row } = entry
    if (row === undefined || retryAfterMs === undefined) return
    const ms = reasonable(retryAfterMs)
    if (tick() + ms <= entry.endsTick) return
    entry.endsTick = tick() + ms
    entry.row = { ...row, cause: name, until: clock() + ms }
    reportChanged(entry.row)
  }

  function strike(entry: CoolingEntry, use: Use, failure: HealthFailure, cools: Cooling): void {
    const now = tick()
    // Begun before the cooldown, or passed during it: the same outage, not one more.
    const isKnown = use.cooldownNo < entry.cooldownNo || (entry.row && entry.endsTick > now)
    if (isKnown) {
      prolong(entry, failure)
      return
    }
    if (use.state === 'answered') entry.breaks++
    else entry.strikes++
    entry.touchedTick = now
    const mayGoOn = entry.strikes + entry.breaks < cools.strikes
    if (mayGoOn && entry.row === undefined) return
    cool(entry, use.channel, failure.name, durationMs(cools, entry, failure.retryAfterMs))
  }

  function stored(): CoolingRow[] {
    const latest = tick() - writtenMs
    return [...table.all()].flatMap(({ row, touchedTick }) =>
      row && touchedTick < latest ? row : [],
    )
  }

  function end(entry: CoolingEntry, channel: Channel): void {
    log.info('channel is well again', partOf(entry.id, channel))
    if (entry.row) reportEnded(entry.row)
    entry.row = undefined
    entry.touchedTick = tick()
  }

  return {
    standing,
    /** Milliseconds until it may be tried; 0 unless it cools down. */
    coolingMs(channel: Channel, key: string, model: string): number {
      const now = tick()
      const ends = covering({ channel, key, model }).map((entry) => freeTick(entry, now))
      return Math.max(now, ...ends) - now
    },
    begin(channel: Channel, key: string, model: string): Use {
      const isTrial = standing(channel, key, model) === 'trial'
      const use: Use = { channel, key, model, isTrial, cooldownNo, state: 'begun' }
      if (!isTrial) return use
      for (const entry of covering(use)) {
        if (entry.row === undefined) continue
        entry.trial = use
        entry.trialTick = tick()
      }
      return use
    },
    succeeded(use: Use): void {
      if (use.state === 'begun') use.state = 'answered'
      for (const entry of covering(use)) {
        leaveTrial(entry, use)
        entry.strikes = 0
        if (entry.row && use.cooldownNo >= entry.cooldownNo) end(entry, use.channel)
      }
    },
    failed(use: Use, failure: HealthFailure): void {
      for (const entry of covering(use)) leaveTrial(entry, use)
      const { cools } = failure
      if (cools !== null && isOn()) {
        sweep(tick())
        const id = idOf(cools, { ...use, mark: keyMark(use.key) })
        strike(table.get(id) ?? table.add(id), use, failure, cools)
      }
      use.state = 'failed'
    },
    ended(use: Use): void {
      for (const entry of covering(use)) {
        leaveTrial(entry, use)
        if (use.state !== 'answered') continue
        entry.strikes = entry.breaks = 0
        // An entry that has cooled is kept: earlier uses may still end.
        if (entry.row === undefined && entry.cooldownNo === 0) table.delete(entry)
      }
    },
    /** Present cooldowns, without those that wait for their half-open probe. */
    coolings(): readonly CoolingRow[] {
      const now = tick()
      return [...table.all()].flatMap(({ row, endsTick }) => (row && endsTick > now ? row : []))
    },
    recover(channelId: number): void {
      for (const entry of [...table.all()]) if (entry.id.channelId === channelId) forget(entry)
    },
    async load(): Promise<void> {
      const rows = await parts.store.load()
      saver.found(rows)
      for (const row of rows) adopt(row)
    },
    /** Drops entries that left the catalog or that the operator ended. Never rejects. */
    async refresh(catalog: Catalog): Promise<void> {
      const isThere = createInventory(keyMark, catalog, table.all())
      for (const entry of [...table.all()]) if (!isOn() || !isThere(entry.id)) forget(entry)
      saver.found(stored())
      for (const row of await saver.removed()) {
        const entry = table.get(row)
        // A later one is another outage.
        if (entry && (entry.row?.since ?? 0) <= row.since) table.delete(entry)
        share?.ended(row)
      }
    },
    /** Applies other nodes' changes; neither saved nor shared again. */
    applyRemote(rows: readonly CoolingRow[], ended: readonly CoolingId[]): void {
      for (const row of isOn() ? rows : []) {
        const known = table.get(row)?.row
        if (known && known.rounds === row.rounds && known.until === row.until) continue
        const entry = adopt(row)
        entry.cooldownNo = ++cooldownNo
        entry.trial = undefined
      }
      for (const id of ended) {
        const entry = table.get(id)
        if (entry) entry.row = undefined
      }
    },
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
