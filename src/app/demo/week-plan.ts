import { dayMs } from '../../lib/clock.ts'
import type { ProtocolName } from '../../protocols/protocol.ts'

/** Whose requests are made up, and how they ask. */
interface Customer {
  readonly email: string
  /** Its name tells, in each list and export, that its requests are made up. */
  readonly token: string
  readonly group: string
  readonly balanceUsd: number
  readonly requestsPerDay: number
  /** The UTC hour of most requests. */
  readonly peakHour: number
  readonly protocol: ProtocolName
  /** Part of the requests that stream. */
  readonly streams: number
  /** LLM tokens of a typical request. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Part of the input that a prompt cache has. */
  readonly cached: number
  /** Models, the most used ones first. */
  readonly models: readonly string[]
}

export const madeUpCustomers: readonly Customer[] = [
  {
    ...{ email: 'shop@example.com', token: 'chat widget (made up)', group: 'standard' },
    ...{ balanceUsd: 40, requestsPerDay: 210, peakHour: 15, protocol: 'chat', streams: 0.95 },
    ...{ inputTokens: 1_400, outputTokens: 260, cached: 0.5 },
    models: ['gpt-5-mini', 'claude-haiku-4-5', 'gemini-2.5-flash'],
  },
  {
    ...{ email: 'research@example.com', token: 'notebooks (made up)', group: 'standard' },
    ...{ balanceUsd: 120, requestsPerDay: 90, peakHour: 10, protocol: 'messages', streams: 0.6 },
    ...{ inputTokens: 9_000, outputTokens: 1_100, cached: 0.7 },
    models: ['claude-sonnet-5', 'gpt-5', 'gemini-2.5-pro'],
  },
  {
    ...{ email: 'nightly@example.com', token: 'batch jobs (made up)', group: 'partners' },
    ...{ balanceUsd: 30, requestsPerDay: 140, peakHour: 2, protocol: 'responses', streams: 0 },
    ...{ inputTokens: 3_200, outputTokens: 420, cached: 0.1 },
    models: ['deepseek-v4-flash', 'gpt-5-nano', 'demo'],
  },
  {
    ...{ email: 'admin@example.com', token: 'own use (made up)', group: 'demo' },
    ...{ balanceUsd: 20, requestsPerDay: 14, peakHour: 18, protocol: 'chat', streams: 0.8 },
    ...{ inputTokens: 700, outputTokens: 350, cached: 0.2 },
    models: ['claude-sonnet-5', 'gpt-5-mini', 'gemini-2.5-flash', 'demo'],
  },
]

/**
 * `retried`: a second channel answered. `failed`: none did. `left`: the client disconnected. `unknown`: the model
 * does not exist.
 */
export type Turn = 'answered' | 'retried' | 'failed' | 'left' | 'unknown'

export interface PlannedRequest {
  readonly customer: Customer
  readonly startedAt: number
  readonly model: string
  readonly stream: boolean
  readonly turn: Turn
  readonly inputTokens: number
  readonly cachedTokens: number
  readonly outputTokens: number
  readonly firstByteMs: number
  readonly durationMs: number
}

const days = 7
const hourMs = dayMs / 24
/** Nothing made up is newer than this. */
const restMs = 120_000

/** The requests of the week before `now`, in the order of their ends; the same ones for the same time. */
export function planWeek(now: number): readonly PlannedRequest[] {
  const random = createRandom(20_24)
  const planned: PlannedRequest[] = []
  const first = now - (now % hourMs) - days * dayMs
  for (let hour = first; hour < now; hour += hourMs)
    for (const customer of madeUpCustomers) {
      const expected = (customer.requestsPerDay / 24) * rhythm(hour, customer.peakHour)
      const count = Math.floor(expected + random())
      for (let each = 0; each < count; each++) {
        const one = planRequest(customer, hour + Math.floor(random() * hourMs), random)
        if (endOf(one) < now - restMs) planned.push(one)
      }
    }
  return planned.sort((a, b) => endOf(a) - endOf(b))
}

/** When a request has ended, in milliseconds since 1970. */
export const endOf = ({ startedAt, durationMs }: PlannedRequest): number => startedAt + durationMs

/** A wave over the day, lower on Saturday and Sunday; 1 on average of a workday. */
function rhythm(timeMs: number, peakHour: number): number {
  const date = new Date(timeMs)
  const wave = 1 + 0.8 * Math.cos(((date.getUTCHours() - peakHour) / 24) * 2 * Math.PI)
  return date.getUTCDay() % 6 === 0 ? wave * 0.5 : wave
}

function planRequest(customer: Customer, startedAt: number, random: () => number): PlannedRequest {
  const spread = () => 0.4 + 1.2 * random() * random() + 0.4 * random()
  const model = customer.models[Math.floor(customer.models.length * random() ** 2)] ?? 'demo'
  const turn = turnOf(random(), model)
  const prompt = Math.round(customer.inputTokens * spread())
  const cachedTokens = Math.round(prompt * customer.cached * random())
  const whole = Math.round(customer.outputTokens * spread())
  const outputTokens = turn === 'left' ? Math.round(whole * random()) : whole
  const isRefused = turn === 'unknown'
  const firstByteMs = Math.round(isRefused ? 2 : 180 + 700 * random() + prompt * 0.05)
  const writtenMs = turn === 'failed' || isRefused ? 0 : outputTokens * (6 + 8 * random())
  return {
    ...{ customer, startedAt, turn, cachedTokens, outputTokens, firstByteMs },
    model: isRefused ? 'gpt-4o-mini' : model,
    stream: random() < customer.streams,
    inputTokens: prompt - cachedTokens,
    durationMs: firstByteMs + Math.round(writtenMs),
  }
}

function turnOf(chance: number, model: string): Turn {
  if (chance < 0.012) return model.startsWith('gpt') ? 'retried' : 'failed'
  if (chance < 0.016) return 'failed'
  if (chance < 0.03) return 'left'
  return chance < 0.036 ? 'unknown' : 'answered'
}

/** Numbers from 0 to 1 that look random and are the same each time (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
