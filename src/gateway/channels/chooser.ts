import type { Channel } from '../../catalog/catalog.ts'
import { canExpress } from '../admit/options.ts'
import { GatewayError } from '../errors.ts'
import type { Wait } from '../limits/limit-queues.ts'
import type { LocalLimiter, Permit, Refused, Subject } from '../limits/limiter.ts'
import { type Choice, createChoice } from './choice.ts'
import {
  type Asked,
  beginSearch,
  type Candidate,
  type ChooserParts,
  createKeyTurns,
  findLastResort,
  findRanked,
  hasKeyLeft,
  isOver,
  type Search,
  seriesFor,
} from './search.ts'

export type { Choice } from './choice.ts'
export type { Asked, ChooserParts } from './search.ts'

/** Says which channel and key is asked next, for one request. */
export interface Chooser {
  /** Undefined: none is left. A promise where places are counted by all nodes. */
  next(): Choice | undefined | Promise<Choice | undefined>
  /** Whether `next` would give one; finds out what the others can express, if it must. */
  hasNext(): boolean
  /** Whether there is more to ask than was asked yet, be it fit or not: told at once. */
  hasOthers(): boolean
  /**
   * After a choice that found fit channels at their limits: how long until one has room, in
   * milliseconds.
   */
  busyForMs(): number | undefined
  /**
   * Waits for a place where all fit channels are full; undefined: none came in time. Rejects with
   * the signal's reason.
   */
  nextInLine(wait: Wait): Promise<Choice | undefined>
}

export interface LocalChooser extends Chooser {
  next(): Choice | undefined
}

/** One value for the whole process: it knows whose turn it is among the keys of a channel. */
export function createChooser(
  parts: ChooserParts & { readonly limiter: LocalLimiter },
): (asked: Asked) => LocalChooser
export function createChooser(parts: ChooserParts): (asked: Asked) => Chooser
export function createChooser(parts: ChooserParts): (asked: Asked) => Chooser {
  const turns = createKeyTurns(parts.health)
  return (asked) => new SearchingChooser(beginSearch(parts, turns, asked))
}

class SearchingChooser implements Chooser {
  readonly #search: Search

  constructor(search: Search) {
    this.#search = search
  }

  next(): Choice | undefined | Promise<Choice | undefined> {
    return takeNext(this.#search)
  }

  hasNext(): boolean {
    const search = this.#search
    for (let candidate = beginRound(search); candidate; candidate = findFit(search)) {
      const { channel } = candidate.option
      const refused = search.parts.limiter.peek(subjectOf(channel), search.asked.llmTokens)
      if (refused === undefined) return true
      noteFull(search, channel, refused)
    }
    return false
  }

  hasOthers(): boolean {
    const search = this.#search
    if (isOver(search)) return false
    for (const option of search.asked.options) if (hasKeyLeft(search, option)) return true
    return false
  }

  busyForMs(): number | undefined {
    return this.#search.busyMs
  }

  nextInLine(wait: Wait): Promise<Choice | undefined> {
    return waitInLine(this.#search, wait)
  }
}

/** The best of what is left that can express the request. */
function findFit(search: Search): Candidate | undefined {
  for (;;) {
    const candidate = findRanked(search) ?? findLastResort(search)
    if (candidate === undefined || canExpress(candidate.option)) return candidate
    search.unfit ??= new Set()
    search.unfit.add(candidate.option)
  }
}

/** The same, when nothing is known any more of what is full. */
function beginRound(search: Search): Candidate | undefined {
  search.full = undefined
  search.busyMs = undefined
  search.isBusy = false
  return isOver(search) ? undefined : findFit(search)
}

/** The best of what is left, with its place on the channel taken. */
function takeNext(search: Search): Choice | undefined | Promise<Choice | undefined> {
  for (let candidate = beginRound(search); candidate; candidate = findFit(search)) {
    const { channel } = candidate.option
    const entered = search.parts.limiter.tryEnter(subjectOf(channel), search.asked.llmTokens)
    if (entered instanceof Promise) return takeLater(search, candidate, entered)
    if (!('retryAfterMs' in entered)) return take(search, candidate, entered)
    noteFull(search, channel, entered)
  }
  return undefined
}

/** The same, from a place on that is asked for elsewhere. */
async function takeLater(
  search: Search,
  first: Candidate,
  asked: Promise<Permit | Refused>,
): Promise<Choice | undefined> {
  let entering: Permit | Refused | Promise<Permit | Refused> = asked
  for (let candidate: Candidate | undefined = first; candidate; ) {
    const entered: Permit | Refused = await entering
    if (!('retryAfterMs' in entered)) return take(search, candidate, entered)
    const { channel } = candidate.option
    noteFull(search, channel, entered)
    candidate = findFit(search)
    if (candidate === undefined) return undefined
    const subject = subjectOf(candidate.option.channel)
    entering = search.parts.limiter.tryEnter(subject, search.asked.llmTokens)
  }
  return undefined
}

function noteFull(search: Search, channel: Channel, { retryAfterMs }: Refused): void {
  search.full ??= new Set()
  search.full.add(channel.id)
  search.isBusy ||= !channel.isDraining
  search.busyMs = Math.min(search.busyMs ?? Number.POSITIVE_INFINITY, retryAfterMs)
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
