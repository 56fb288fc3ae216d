import type { Catalog } from '../../catalog/catalog.ts'
import type { Logger } from '../../lib/log.ts'
import type { CoolingId, CoolingRow, HealthStore } from '../../store/ports/counters.ts'
import { createCoolingChanges, idText } from './cooling-table.ts'

/** Saves health in the background; a failing store disturbs no request. */
export type CoolingSaver = ReturnType<typeof createCoolingSaver>

export function createCoolingSaver(store: HealthStore, log: Logger, delayMs: number) {
  const changes = createCoolingChanges()
  const saved = new Map<string, CoolingRow>()
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Serialized, so that reads never fall between two states. */
  let working: Promise<unknown> = Promise.resolve()
  let isFailing = false

  function later(): void {
    timer ??= setTimeout(flush, delayMs)
    timer.unref()
  }

  function note(row: CoolingRow, hasEnded: boolean): void {
    changes.note(row, hasEnded)
    later()
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const done = working.then(save)
    working = done
    return done
  }

  async function save(): Promise<void> {
    try {
      const written = await changes.write((rows, ended) => store.save(rows, ended))
      if (written.size === 0) return
      for (const [text, { row, hasEnded }] of written) {
        if (hasEnded) saved.delete(text)
        else saved.set(text, row)
      }
      if (isFailing) log.info('health of channels stored again', { count: written.size })
      isFailing = false
    } catch (error) {
      if (!isFailing) log.error('health of channels not stored', { error: String(error) })
      isFailing = true
      later()
    }
  }

  async function findRemoved(): Promise<readonly CoolingRow[]> {
    if (saved.size === 0) return []
    try {
      const there = new Set((await store.load()).map(idText))
      const gone = [...saved].filter(([text]) => !there.has(text) && !changes.has(text))
      for (const [text] of gone) saved.delete(text)
      return gone.map(([, row]) => row)
    } catch (error) {
      log.error('health of channels not read', { error: String(error) })
      return []
    }
  }

  return {
    found(rows: readonly CoolingRow[]): void {
      for (const row of rows) saved.set(idText(row), row)
    },
    changed: (row: CoolingRow): void => note(row, false),
    ended: (row: CoolingRow): void => note(row, true),
    flush,
    /** Rows that were written and are gone from the store, though not ended here. */
    removed(): Promise<readonly CoolingRow[]> {
      const found = working.then(findRemoved)
      working = found
      return found
    },
  }
}

/** Gives whether a catalog has the channel, key and model of these entries. */
export function createInventory(
  keyMark: (key: string) => string,
  catalog: Catalog,
  entries: Iterable<{ readonly id: CoolingId }>,
): (id: CoolingId) => boolean {
  const models = new Map<number, Set<string>>()
  for (const { id } of entries) if (id.model) models.set(id.channelId, new Set())
  collectModels(catalog, models)
  return ({ channelId, key, model }) => {
    const channel = catalog.channels.get(channelId)
    if (channel === undefined) return false
    if (key && !channel.keys.some((one) => keyMark(one) === key)) return false
    return !model || models.get(channelId)?.has(model) === true
  }
}

function collectModels({ groups }: Catalog, models: ReadonlyMap<number, Set<string>>): void {
  if (models.size === 0) return
  for (const { offers } of groups.values()) {
    for (const { candidates } of offers.values()) {
      for (const { channel, upstreamModel } of candidates) {
        models.get(channel.id)?.add(upstreamModel)
      }
    }
  }
}
