import { addTo } from '../lib/add-to.ts'
import { addressKey, networkKey } from '../lib/addresses.ts'
import { type Repeat, repeatByTimer } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { RequestRow } from '../store/ports/records.ts'
import type { Concluded } from './exchange.ts'
import type { End } from './money/record.ts'

/** A request that was refused before an upstream was called. */
export interface RefusedRequest {
  readonly cause: string
  readonly status: number
  /** Undefined: the key is missing or unknown. */
  readonly token:
    | { readonly id: number; readonly name: string; readonly account: string }
    | undefined
  readonly address: () => string
}

/** Keeps repeated refusals from filling the log. */
export type RefusalLog = ReturnType<typeof createRefusalLog>

const singleOfUnknown = 10
const singleOfToken = 60
const minuteMs = 60_000
const mostAddresses = 10_000

class Counted {
  readonly first: RefusedRequest
  single = 0
  summed = 0
  readonly addresses = new Map<string, number>()
  readonly networks = new Map<string, number>()

  constructor(first: RefusedRequest) {
    this.first = first
  }
}

/** `onRefused` is called with each cause. */
export function createRefusalLog(
  log: Logger,
  repeat: Repeat = repeatByTimer,
  onRefused: (cause: string) => void = () => {},
) {
  let minute = new Map<string, Counted>()

  function flush(): void {
    const ended = minute
    minute = new Map()
    for (const counted of ended.values()) if (counted.summed > 0) writeLine(log, counted)
  }

  const stop = repeat(flush, minuteMs)

  return {
    /** Whether a refusal gets a line of its own; if not, its minute's line counts it. */
    isSingle(refusal: RefusedRequest): boolean {
      const { cause, token, address } = refusal
      onRefused(cause)
      const key = token === undefined ? cause : `${cause} ${token.id}`
      const counted = minute.get(key) ?? new Counted(refusal)
      minute.set(key, counted)
      if (counted.single < (token ? singleOfToken : singleOfUnknown)) {
        counted.single++
        return true
      }
      counted.summed++
      const from = address()
      count(counted.addresses, addressKey(from))
      count(counted.networks, networkKey(from))
      return false
    },
    stop(): void {
      stop()
      flush()
    },
  }
}

function count(counts: Map<string, number>, key: string): void {
  const before = counts.get(key)
  if (before === undefined && counts.size >= mostAddresses) return
  counts.set(key, (before ?? 0) + 1)
}

function writeLine(log: Logger, { first, summed, addresses, networks }: Counted): void {
  const [busiestAddress, ofAddress] = busiest(addresses)
  const [busiestNetwork, ofNetwork] = busiest(networks)
  log.warn('requests refused', {
    cause: first.cause,
    status: first.status,
    count: summed,
    token: first.token?.name,
    account: first.token?.account,
    addresses: addresses.size,
    busiest_address: busiestAddress,
    of_address: ofAddress,
    busiest_network: busiestNetwork,
    of_network: ofNetwork,
  })
}

function busiest(counts: ReadonlyMap<string, number>): readonly [string, number] {
  let found: readonly [string, number] = ['', 0]
  for (const entry of counts) if (entry[1] > found[1]) found = entry
  return found
}

/** One line per request: ids, names and counts; no keys, no prompts, no answers. */
export function logExchange(
  log: Logger,
  exchange: Concluded,
  end: End,
  row: RequestRow | undefined,
  nowTick: number,
): void {
  const { caller, plan, candidate } = exchange
  log.info('request', {
    request_id: exchange.requestId,
    protocol: exchange.protocol.name,
    operation: exchange.operation.name,
    status: end.status,
    ending: end.ending,
    cause: end.cause,
    account: caller?.account.email,
    token: caller?.token.name,
    group: plan?.group.name,
    model: exchange.model,
    channel: candidate?.channel.name,
    attempts: exchange.attempts.length,
    stream: exchange.facts?.stream,
    input_tokens: row?.inputTokens,
    output_tokens: row?.outputTokens,
    cache_read_tokens: row?.cacheReadTokens,
    cache_write_tokens: row && row.cacheWriteTokens + row.cacheWrite1hTokens,
    amount_nano: row?.amountNano,
    first_byte_ms: row?.firstByteMs,
    duration_ms: Math.round(nowTick - exchange.startedTick),
  })
}

/** Keeps a client that repeats a refused request from filling the database. */
export type RefusalLimit = ReturnType<typeof createRefusalLimit>

const recordedPerMinute = 60

export function createRefusalLimit() {
  let counts = new Map<number, number>()
  let since = 0
  return {
    admit(tokenId: number | undefined, nowTick: number): boolean {
      if (tokenId === undefined) return false
      if (nowTick - since >= minuteMs) {
        counts = new Map()
        since = nowTick
      }
      return addTo(counts, tokenId, 1) <= recordedPerMinute
    },
  }
}
