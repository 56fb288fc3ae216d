import type { Channel } from '../catalog/catalog.ts'
import type { Binding } from './bindings.ts'
import { type Choice, type ChoiceParts, createChoice } from './choice.ts'
import type { Conversation } from './conversation.ts'
import { GatewayError } from './errors.ts'
import { createKeyTurns, type KeyTurns } from './key-turns.ts'
import type { Wait } from './limit-queues.ts'
import type { Limiter, Permit, Subject } from './limiter.ts'
import { seriesOf } from './load.ts'
import { canExpress, type Option } from './options.ts'
import { chooseRanked, isSlowAmong, levels, type Ranked } from './ranking.ts'

export type { Choice } from './choice.ts'

/** Says which channel and key is asked next, for one request. */
export interface Chooser {
  /** Undefined when none is left, or attempts or time are used up. */
  next(): Choice | undefined
  /** Whether `next` would give one; finds out what the others can express, if it must. */
  hasNext(): boolean
  /** Whether there is more to ask than was asked yet, be it fit or not: told at once. */
  hasOthers(): boolean
  /**
   * Set when the last choice found channels that are fit but for their own limits: how long until
   * one has room, in milliseconds.
   */
  busyForMs(): number | undefined
  /**
   * For when `next` has found nothing but channels at their limits: waits in line for a place on the
   * one that would be asked else. Undefined when it does not come in time. Rejects with the signal's
   * reason.
   */
  nextInLine(wait: Wait): Promise<Choice | undefined>
}

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
  readonly pool?: string
  /** Roughly what it counts against the limits of a channel. */
  readonly llmTokens: number
  readonly maxAttempts: number
  /** No attempt begins later than this after the first. */
  readonly retryMs: number
  /** It must be this channel: one of its answers is continued. */
  readonly boundChannelId?: number
}

/** The search for what one request asks next. */
interface Search {
  readonly parts: ChooserParts
  readonly turns: KeyTurns
  readonly asked: Asked
  readonly options: readonly Option[]
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
interface Candidate {
  readonly option: Option
  readonly key: string
  /** It cools, and is asked because nothing else is left. */
  readonly isLastResort?: boolean
}

/** One value for the whole process: it knows whose turn it is among the keys of a channel. */
export function createChooser(parts: ChooserParts): (asked: Asked) => Chooser {
  const turns = createKeyTurns(parts.health)
  return (asked) => {
    const search = begin(parts, turns, asked)
    return {
      next() {
        const found = find(search)
        return found && take(search, found.candidate, found.permit)
      },
      hasNext() {
        const found = find(search)
        found?.permit.undo()
        return found !== undefined
      },
      hasOthers: () =>
        !isOver(search) && search.options.some((option) => hasKeyLeft(search, option)),
      busyForMs: () => search.busyMs,
      nextInLine: (wait) => waitInLine(search, wait),
    }
  }
}

function begin(parts: ChooserParts, turns: KeyTurns, asked: Asked): Search {
  const { boundChannelId, conversation, tokenId } = asked
  const options =
    boundChannelId === undefined
      ? asked.options
      : asked.options.filter(({ channel }) => channel.id === boundChannelId)
  const isChoice = options.length > 1 || (options[0]?.channel.keys.length ?? 0) > 1
  const home =
    isChoice && conversation?.isBegun ? parts.bindings.find(tokenId, conversation.key) : undefined
  return {
    parts,
    turns,
    asked,
    options,
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
function isOver({ parts, asked, tried, firstTick }: Search): boolean {
  if (tried.length >= asked.maxAttempts) return true
  return tried.length > 0 && parts.tick() - firstTick > asked.retryMs
}

/** Whether a key of an option was not asked yet. */
const hasKeyLeft = (search: Search, { channel }: Option) =>
  channel.keys.some((key) => !isTried(search, channel.id, key))

const isTried = ({ tried }: Search, channelId: number, key: string) =>
  tried.some((one) => one.channelId === channelId && one.key === key)

const wasAsked = ({ tried }: Search, channelId: number) =>
  tried.some((one) => one.channelId === channelId)

/** The best of what is left, with its place on the channel taken. */
function find(search: Search): { candidate: Candidate; permit: Permit } | undefined {
  search.full = undefined
  search.busyMs = undefined
  search.isBusy = false
  if (isOver(search)) return undefined
  for (;;) {
    const candidate = findRanked(search) ?? findLastResort(search)
    if (candidate === undefined) return undefined
    const permit = enter(search, candidate)
    if (permit) return { candidate, permit }
  }
}

/** Takes a place on a channel; undefined, and noted, when it can't be asked after all. */
function enter(search: Search, { option }: Candidate): Permit | undefined {
  if (!canExpress(option)) {
    search.unfit ??= new Set()
    search.unfit.add(option)
    return undefined
  }
  const { channel } = option
  const entered = search.parts.limiter.tryEnter(subjectOf(channel), search.asked.llmTokens)
  if (!('retryAfterMs' in entered)) return entered
  search.full ??= new Set()
  search.full.add(channel.id)
  search.isBusy ||= !channel.isDraining
  search.busyMs = Math.min(search.busyMs ?? Number.POSITIVE_INFINITY, entered.retryAfterMs)
  return undefined
}

async function waitInLine(search: Search, wait: Wait): Promise<Choice | undefined> {
  const { parts, asked } = search
  search.full = undefined
  const candidate = findRanked(search)
  if (candidate === undefined) return undefined
  try {
    const subjects = [subjectOf(candidate.option.channel)]
    const permit = await parts.limiter.enter(subjects, asked.llmTokens, wait)
    return take(search, candidate, permit)
  } catch (error) {
    if (error instanceof GatewayError && error.status === 429) return undefined
    throw error
  }
}

const subjectOf = ({ id, name, limits }: Channel): Subject => ({
  kind: 'channel',
  id,
  name,
  limits,
})

function findRanked(search: Search): Candidate | undefined {
  const { home } = search
  const { health, load, random } = search.parts
  const parts = { load, random, pool: search.asked.pool ?? '' }
  const ranked = rank(search)
  const atHome =
    search.tried.length === 0
      ? ranked.find(({ option }) => option.channel.id === home?.channelId)
      : undefined
  if (home === undefined || atHome === undefined) return candidateOf(chooseRanked(parts, ranked))
  if (!isSlowAmong(load, atHome, ranked)) {
    const { option } = atHome
    const { channel, upstreamModel } = option
    // Another key of the same channel may share its cache, and costs nothing but that.
    const isFit =
      channel.keys.includes(home.key) &&
      health.standing(channel, home.key, upstreamModel) !== 'cooling'
    return isFit ? { option, key: home.key } : candidateOf(atHome)
  }
  const moved = ranked.map((one) => (one === atHome ? { ...one, isLeft: true } : one))
  return candidateOf(chooseRanked(parts, moved))
}

const candidateOf = (ranked: Ranked | undefined): Candidate | undefined => ranked

/** It can't express the request, or is full. */
const isOut = ({ unfit, full }: Search, option: Option) =>
  unfit?.has(option) === true || full?.has(option.channel.id) === true

/** All that is well and was not asked yet. */
function rank(search: Search): Ranked[] {
  const { turns, home, isBusy } = search
  const ranked: Ranked[] = []
  const isAsked = (channelId: number, key: string) => isTried(search, channelId, key)
  for (const option of search.options) {
    const { channel } = option
    if (isOut(search, option)) continue
    // A full channel has room again soon: nothing new goes to one that is drained meanwhile.
    if (channel.isDraining && isBusy && channel.id !== home?.channelId) continue
    const key = turns.next(option, isAsked)
    if (key === undefined) continue
    const level = levelOf(search, option)
    const series = seriesFor(search, option)
    ranked.push({ option, key, series, level, isLeft: false })
  }
  return ranked
}

const seriesFor = ({ asked }: Search, { upstreamModel }: Option) =>
  seriesOf(upstreamModel, asked.isStreamed ?? true)

function levelOf(search: Search, { channel }: Option): Ranked['level'] {
  if (channel.isDraining) return levels.draining
  return wasAsked(search, channel.id) ? levels.asked : levels.fresh
}

/**
 * When nothing is well: of the channels that were not asked yet, the key that has cooled the soonest.
 * So the last channel of a group is never cooled into nothing.
 */
function findLastResort(search: Search): Candidate | undefined {
  if (search.isBusy || search.hadLastResort) return undefined
  const { health } = search.parts
  let best: Candidate | undefined
  let bestMs = Number.POSITIVE_INFINITY
  for (const option of search.options) {
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

function take(search: Search, candidate: Candidate, permit: Permit): Choice {
  const { parts, asked, tried, turns, isChoice } = search
  const { option, key, isLastResort = false } = candidate
  const { tokenId, conversation } = asked
  if (tried.length === 0) search.firstTick = parts.tick()
  tried.push({ channelId: option.channel.id, key })
  search.hadLastResort ||= isLastResort
  turns.took(option.channel, key)
  return createChoice(parts, {
    option,
    key,
    series: seriesFor(search, option),
    pool: isChoice ? (asked.pool ?? '') : undefined,
    permit,
    tokenId,
    conversation: isChoice ? conversation : undefined,
  })
}
