import type { Channel } from '../../catalog/catalog.ts'
import type { Option } from '../admit/options.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Binding } from './bindings.ts'
import type { ChoiceParts } from './choice.ts'
import type { Conversation } from './conversation.ts'
import type { Health } from './health.ts'
import { seriesOf } from './load.ts'
import { chooseRanked, isSlowAmong, levels, type Ranked } from './ranking.ts'

/** What choosing is done with. */
export interface ChooserParts extends ChoiceParts {
  readonly limiter: Limiter
  /** Gives numbers in [0, 1). */
  readonly random: () => number
}

/** What is to be answered. */
export interface Asked {
  /** Who may answer, in any order. */
  readonly options: readonly Option[]
  readonly tokenId: number
  readonly conversation: Conversation | undefined
  /** Whether the answer comes in pieces; true when left out. */
  readonly isStreamed?: boolean
  /**
   * What the weights share out: the requests of one group for one model, by any name. Left out:
   * whatever the channels have to do.
   */
  readonly pool?: string | undefined
  /** Roughly what it counts against the limits of a channel. */
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
  /** Where its conversation is at home. */
  readonly home: Binding | undefined
  /** Whether there is anything to choose between. */
  readonly isChoice: boolean
  /** What was asked already, in order. */
  readonly tried: { readonly channelId: number; readonly key: string }[]
  firstTick: number
  hadLastResort: boolean
  /** Options that can't express the request. */
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

/** Finds out, once for a request, whether there is a choice, and where it is at home. */
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

/** Attempts or time are used up. */
export function isOver({ parts, asked, tried, firstTick }: Search): boolean {
  if (tried.length >= asked.maxAttempts) return true
  return tried.length > 0 && parts.tick() - firstTick > asked.retryMs
}

/** Whether a key of an option was not asked yet. */
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

/** Of what is well: the home of the conversation, else what stands first. */
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
    // Another key of the same channel may share its cache, and costs nothing but that.
    const isFit =
      channel.keys.includes(home.key) &&
      health.standing(channel, home.key, upstreamModel) !== 'cooling'
    return isFit ? { option, key: home.key } : atHome
  }
  const moved = ranked.map((one) => (one === atHome ? { ...one, isLeft: true } : one))
  return chooseRanked(parts, moved)
}

/** It can't express the request, or is full. */
const isOut = ({ unfit, full }: Search, option: Option) =>
  unfit?.has(option) === true || full?.has(option.channel.id) === true

/** All that is well and was not asked yet. */
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

/**
 * When nothing is well: of the channels that were not asked yet, the key that has cooled the soonest.
 * So the last channel of a group is never cooled into nothing.
 */
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
