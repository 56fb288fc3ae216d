import type { Observation } from '../../protocols/canonical/observation.ts'
import { emptyUsage } from '../../protocols/canonical/usage.ts'
import type { Exchange } from '../exchange.ts'
import { chargeFor, type UsedTokens, usedTokens } from './record.ts'
import type { SettleParts } from './settle.ts'

/** Compares a stream's usage with its reservation; counts only when its text has grown enough. */
export interface Meter {
  /** Delivered text, in bytes, that is surely paid for. */
  readonly limit: number
  /** Counts, and reserves more where there is room; false when the money has run out. */
  cover(seen: Observation): Promise<boolean>
  /** Whether the reservation pays for this, by an exact count. */
  pays(seen: Observation): Promise<boolean>
}

/** A smaller rest is not worth counting: the stream ends there. */
const smallestRest = 0.003
/** When less than this is left, more is reserved. */
const growBelow = 0.25
/** Usage is counted exactly before a reservation grows, unless this many times as much is available. */
const plentyTimesHeld = 8
/** The smallest step of a reservation, in LLM tokens. */
const leastStepTokens = 256

/** The most bytes of an average LLM token, in any language. */
const longestToken = 8

export const endlessMeter: Meter = {
  limit: Number.POSITIVE_INFINITY,
  cover: async () => true,
  pays: async () => true,
}

export function createMeter(parts: SettleParts, exchange: Exchange): Meter {
  const { reservations, countTokens } = parts
  const { requestId, caller, reservation } = exchange
  if (reservation === undefined || caller === undefined) return endlessMeter
  const payer = caller
  const heldNano = () => reservations.heldFor(requestId)
  // Up to its own limit an answer is covered; beyond it, an upstream may have ignored the limit.
  let limit = reservation.outputTokens * (reservation.isEnough ? longestToken : 1)

  const room = async () => reservations.room(await parts.currentCaller(payer)).nano

  /** Doubles the reservation, as far as there is room. */
  async function grow(perTokenNano: number): Promise<boolean> {
    const step = Math.max(heldNano(), Math.ceil(leastStepTokens * perTokenNano))
    const byNano = Math.min(step, await room())
    return byNano > 0 && (await reservations.grow(requestId, byNano))
  }

  /** What remains after this use, after reserving more where due. */
  async function rest(used: UsedTokens, perTokenNano: number): Promise<number> {
    const costNano = chargeFor(exchange, used).amountNano
    while (heldNano() - costNano < growBelow * heldNano()) {
      if (!(await grow(perTokenNano))) break
    }
    return heldNano() - costNano
  }

  return {
    get limit() {
      return limit
    },
    async cover(seen) {
      let used = mostUsed(
        exchange,
        seen,
        reservation.inputTokens + (reservation.continuedTokens ?? 0),
      )
      const perTokenNano = outputPriceNano(exchange, used)
      if (perTokenNano === 0) {
        limit = Number.POSITIVE_INFINITY
        return true
      }
      // Reserving much more than is used would take it from others.
      const isPlenty = (await room()) > plentyTimesHeld * heldNano()
      if (!isPlenty) used = await usedTokens(exchange, seen, countTokens)
      let restNano = await rest(used, perTokenNano)
      if (isPlenty && restNano <= growBelow * heldNano()) {
        used = await usedTokens(exchange, seen, countTokens)
        restNano = await rest(used, perTokenNano)
      }
      if (restNano <= smallestRest * heldNano()) return false
      // No token is shorter than a byte; uncounted text may be denser.
      const tokensPerByte = Math.max(1, used.usage.outputTokens / Math.max(1, seen.text.length))
      limit = seen.text.bytes + Math.max(1, Math.floor(restNano / perTokenNano / tokensPerByte))
      return true
    },
    async pays(seen) {
      const used = await usedTokens(exchange, seen, countTokens)
      return chargeFor(exchange, used).amountNano <= heldNano()
    },
  }
}

/** The most a stream has used: its own report, else a token for each byte. */
function mostUsed(exchange: Exchange, seen: Observation, inputTokens: number): UsedTokens {
  const { usage: told, text, outcome, reportedLength } = seen
  const usage = told ?? { ...emptyUsage, inputTokens }
  const isReported = told !== undefined && outcome !== undefined && text.length <= reportedLength
  const outputTokens = isReported ? usage.outputTokens : Math.max(usage.outputTokens, text.bytes)
  const calls = exchange.facts?.calls ?? 1
  return { usage: { ...usage, outputTokens }, estimated: !isReported, clamped: false, calls }
}

/** The price of one more token of output, in nano-USD. */
function outputPriceNano(exchange: Exchange, used: UsedTokens): number {
  const many = 1_000
  const more = { ...used, usage: { ...used.usage, outputTokens: used.usage.outputTokens + many } }
  return (chargeFor(exchange, more).amountNano - chargeFor(exchange, used).amountNano) / many
}
