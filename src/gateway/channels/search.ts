import type { Channel } from '../../catalog/catalog.ts'
import type { Option } from '../admit/options.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Binding } from './bindings.ts'
import type { ChoiceParts } from './choice.ts'
import type { Conversation } from './conversation.ts'
import type { Health } from './health.ts'
import { seriesOf } from './load.ts'
import { chooseRanked, isSlowAmong, levels, type Ranked } from './ranking.ts'

export interface ChooserParts extends ChoiceParts {
  readonly limiter: Limiter
  readonly random: () => number
}

export interface Asked {
  readonly options: readonly Option[]
  readonly tokenId: number
  readonly conversation: Conversation | undefined
  /** Whether the answer comes in pieces; true when left out. */
  readonly isStreamed?: boolean
  /** The pool whose load the weights share out: one group's requests for one model. */
  readonly pool?: string | undefined
  readonly llmTokens: number
  readonly maxAttempts: number
  /** No attempt begins later than this after the first. */
  readonly retryMs: number
}

type Tried = readonly { readonly channelId: number; readonly key: string }[]

/** The search for what one request asks next. */
export interface Search {
  readonly parts: ChooserParts
  readonly turns: KeyTurns
  readonly asked: Asked
  /** The sticky binding of its conversation. */
  readonly home: Binding | undefined
  readonly isChoice: boolean
  readonly tried: { readonly channelId: number; readonly key: string }[]
  firstTick: number
  hadLastResort: boolean
  unfit: Set<Option> | undefined
  /** Channels at their limits, and how long until one of them has room. */
  full: Set<number> | undefined
  busyMs: number | undefined
  /** One of them would be asked else: nobody is asked in its stead who should be left alone. */
  isBusy: boolean
}

/** A channel's key that may be asked, before its limits are looked at. */
export interface Candidate {
  readonly option: Option
  readonly key: string
  /** It cools, and is asked because nothing else is left. */
  readonly isLastResort?: boolean
}

/** Finds out, once for a request, whether there is a choice, and its sticky binding. */
export function beginSearch(parts: ChooserParts, turns: KeyTurns, asked: Asked): Search {
  const { options, conversation, tokenId } = asked
  const isChoice = options.length > 1 || (options[0]?.channel.keys.length ?? 0) > 1
  const home =
    isChoice && conversation?.isBegun ? parts.bindings.find(tokenId, conversation.key) : undefined
  return {
    parts,
    turns,
    asked,
    home,
    isChoice,
    tried: [],
    firstTick: 0,
    hadLastResort: false,
    unfit: undefined,
    full: undefined,
    busyMs: undefined,
    isBusy: false,
  }
}

export function isOver({ parts, asked, tried, firstTick }: Search): boolean {
  if (tried.length >= asked.maxAttempts) return true
  return tried.length > 0 && parts.tick() - firstTick > asked.retryMs
}

export function hasKeyLeft({ tried }: Search, { channel }: Option): boolean {
  for (const key of channel.keys) if (!isTried(tried, channel.id, key)) return true
  return false
}

function isTried(tried: Tried, channelId: number, key: string): boolean {
  for (const one of tried) if (one.channelId === channelId && one.key === key) return true
  return false
}

function wasAsked({ tried }: Search, channelId: number): boolean {
  for (const one of tried) if (one.channelId === channelId) return true
  return false
}

/** Of what is well: the sticky binding, else the best by rank. */
export function findRanked(search: Search): Candidate | undefined {
  const { home } = search
  const { health, load, random } = search.parts
  const parts = { load, random, pool: search.asked.pool ?? '' }
  const ranked = rank(search)
  if (home === undefined || search.tried.length > 0) return chooseRanked(parts, ranked)
  const atHome = ranked.find(({ option }) => option.channel.id === home.channelId)
  if (atHome === undefined) return chooseRanked(parts, ranked)
  if (!isSlowAmong(load, atHome, ranked)) {
    const { option } = atHome
    const { channel, upstreamModel } = option
    // Another key of the same channel may share its cache.
    const isFit =
      channel.keys.includes(home.key) &&
      health.standing(channel, home.key, upstreamModel) !== 'cooling'
    return isFit ? { option, key: home.key } : atHome
  }
  const moved = ranked.map((one) => (one === atHome ? { ...one, isLeft: true } : one))
  return chooseRanked(parts, moved)
}

const isOut = ({ unfit, full }: Search, option: Option) =>
  unfit?.has(option) === true || full?.has(option.channel.id) === true

function rank(search: Search): Ranked[] {
  const { turns, home, isBusy, tried } = search
  const ranked: Ranked[] = []
  for (const option of search.asked.options) {
    const { channel } = option
    if (isOut(search, option)) continue
    // A full channel has room again soon: nothing new goes to one that is drained meanwhile.
    if (channel.isDraining && isBusy && channel.id !== home?.channelId) continue
    const key = turns.next(option, tried)
    if (key === undefined) continue
    const level = levelOf(search, option)
    const series = seriesFor(search, option)
    ranked.push({ option, key, series, level, isLeft: false })
  }
  return ranked
}

/** With which answers that of an option is compared. */
export const seriesFor = ({ asked }: Search, { upstreamModel }: Option) =>
  seriesOf(upstreamModel, asked.isStreamed ?? true)

function levelOf(search: Search, { channel }: Option): Ranked['level'] {
  if (channel.isDraining) return levels.draining
  return wasAsked(search, channel.id) ? levels.asked : levels.fresh
}

/** When nothing is well: of channels not asked yet, the key that is free the soonest. */
export function findLastResort(search: Search): Candidate | undefined {
  if (search.isBusy || search.hadLastResort) return undefined
  const { health } = search.parts
  let best: Candidate | undefined
  let bestMs = Number.POSITIVE_INFINITY
  for (const option of search.asked.options) {
    const { channel, upstreamModel } = option
    if (isOut(search, option) || wasAsked(search, channel.id)) continue
    for (const key of channel.keys) {
      const ms = health.coolingMs(channel, key, upstreamModel)
      if (ms >= bestMs) continue
      best = { option, key, isLastResort: true }
      bestMs = ms
    }
  }
  return best
}

/** Uses the keys of a channel in turn. */
export interface KeyTurns {
  /** The next key that is well and was not tried; undefined when there is none. */
  next(option: Option, tried: Tried): string | undefined
  /** It was asked: the one behind it is next. */
  took(channel: Channel, key: string): void
}

/** Remembers turns for as long as a channel stays as it is. */
export function createKeyTurns(health: Health): KeyTurns {
  const turns = new WeakMap<Channel, number>()
  return {
    next({ channel, upstreamModel }, tried) {
      const { keys } = channel
      const turn = keys.length > 1 ? (turns.get(channel) ?? 0) : 0
      for (let step = 0; step < keys.length; step++) {
        const key = keys[(turn + step) % keys.length]
        if (key === undefined || isTried(tried, channel.id, key)) continue
        if (health.standing(channel, key, upstreamModel) !== 'cooling') return key
      }
      return undefined
    },
    took(channel, key) {
      if (channel.keys.length > 1) turns.set(channel, channel.keys.indexOf(key) + 1)
    },
  }
}
