import type { DecodeContext } from '../canonical/codec.ts'
import { arrayIn, isJsonObject, stringIn } from '../json.ts'
import type { JsonObject } from '../protocol.ts'
import { createCallReader } from './call-reader.ts'
import type { Blocks, ItemReader } from './item-reader.ts'
import { createMessageReader } from './message-reader.ts'
import { createReasoningReader } from './reasoning-reader.ts'
import { createSearchReader } from './search-reader.ts'

/** Kinds of items that an answer is read from; others of the vendor's own tools are not asked for. */
const types = [
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
  'web_search_call',
] as const
export type ItemType = (typeof types)[number]

/** The kind of an item, or undefined for one that is not read. */
export function itemType(item: JsonObject | undefined): ItemType | undefined {
  return types.find((type) => type === item?.type)
}

interface Entry {
  readonly type: ItemType
  readonly reader: ItemReader
  isBegun: boolean
  isEnded: boolean
}

/** The items of one answer, in the order in which they first came up. */
export interface AnswerItems {
  /** The item that an event is about; it begins here when nobody has announced it. */
  at(event: JsonObject, type: ItemType): ItemReader
  begin(event: JsonObject, item: JsonObject): void
  end(event: JsonObject, item: JsonObject): void
  /** Takes from the whole answer what no event has told, and ends what is open. */
  endAll(response: JsonObject | undefined): void
}

/** No items yet. */
export function createAnswerItems(blocks: Blocks, context: DecodeContext): AnswerItems {
  const entries: Entry[] = []
  const byId = new Map<string, Entry>()
  const byPlace = new Map<string, Entry>()

  function createReader(type: ItemType): ItemReader {
    if (type === 'message') return createMessageReader(blocks)
    if (type === 'reasoning') return createReasoningReader(blocks)
    if (type === 'web_search_call') return createSearchReader(blocks)
    return createCallReader(type === 'custom_tool_call' ? 'custom' : 'function', blocks, context)
  }
  function add(type: ItemType): Entry {
    const entry: Entry = { type, reader: createReader(type), isBegun: false, isEnded: false }
    entries.push(entry)
    return entry
  }
  /**
   * The item that an event means, by its id. GitHub Copilot gives an item another id in each event,
   * and then its place in the output names it, if the item there is `fit`.
   */
  function find(event: JsonObject, type: ItemType, fit: (entry: Entry) => boolean): Entry {
    const { output_index: index, item } = event
    const id = stringIn(event, 'item_id') ?? (isJsonObject(item) ? stringIn(item, 'id') : undefined)
    const known = id === undefined ? undefined : byId.get(`${type} ${id}`)
    if (known !== undefined) return known
    const place = `${type} ${typeof index === 'number' ? index : (id ?? '')}`
    const there = byPlace.get(place)
    const entry = there !== undefined && fit(there) ? there : add(type)
    if (id !== undefined && (entry !== there || item !== undefined))
      byId.set(`${type} ${id}`, entry)
    byPlace.set(place, entry)
    return entry
  }
  function end(entry: Entry, item: JsonObject | undefined): void {
    if (entry.isEnded) return
    entry.isEnded = true
    entry.reader.end(item)
  }

  return {
    at: (event, type) => find(event, type, () => true).reader,
    begin(event, item) {
      const type = itemType(item)
      if (type === undefined) return
      const entry = find(event, type, ({ isBegun, isEnded }) => !isBegun && !isEnded)
      entry.isBegun = true
      entry.reader.begin(item)
    },
    end(event, item) {
      const type = itemType(item)
      if (type !== undefined)
        end(
          find(event, type, ({ isEnded }) => !isEnded),
          item,
        )
    },
    endAll(response) {
      const known = new Map<ItemType, Entry[]>(
        types.map((type) => [type, entries.filter((one) => one.type === type)]),
      )
      const places = new Map<ItemType, number>()
      for (const item of arrayIn(response, 'output')) {
        const type = isJsonObject(item) ? itemType(item) : undefined
        if (type === undefined || !isJsonObject(item)) continue
        // Neither ids nor places can be relied on here: the first of a kind is the first.
        const place = places.get(type) ?? 0
        places.set(type, place + 1)
        end(known.get(type)?.[place] ?? add(type), item)
      }
      for (const entry of entries) end(entry, undefined)
    },
  }
}
