import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  type Asked,
  clientsOf,
  type Kind,
  kinds,
  type Limited,
  type LimitedClient,
  press,
  startLimited,
  surelyInMinute,
  tokensOf,
} from './limited.ts'

// Requests a minute under 500 clients at once, for as long as it takes to see two windows.

const storyMs = 68_000
/** And where a slow machine takes longer to use the second: the third begins later than this. */
const longestMs = 110_000

/** Who is limited, by what, and which tokens with how many clients ask all the time. */
const rates = {
  token: { rpm: 60, tokens: ['own'], clients: 150 },
  account: { rpm: 90, tokens: ['shared-1', 'shared-2', 'shared-3'], clients: 150 },
  group: { rpm: 120, tokens: ['grouped-1', 'grouped-2'], clients: 200 },
} as const

/** Refuses at once. */
let strict: Limited
/** Lets requests wait. */
let patient: Limited
let asked: Asked[]

beforeAll(async () => {
  strict = await startLimited({
    tokens: tokensOf(rates, { rpm: rates.token.rpm }),
    accounts: { shared: { rpm: rates.account.rpm } },
    groups: { grouped: { rpm: rates.group.rpm } },
  })
  patient = await startLimited({
    queueTime: '90s',
    tokens: [{ name: 'slow', account: 'slow', group: 'slow', limits: { rpm: 40 } }],
  })
  asked = await tellStory()
}, 240_000)
afterAll(async () => {
  await strict[Symbol.asyncDispose]()
  await patient[Symbol.asyncDispose]()
})

/** 500 clients of the strict gateway, and those who wait for their minute at the patient one. */
async function tellStory(): Promise<Asked[]> {
  const all: LimitedClient[] = []
  for (const kind of kinds) {
    all.push(...(await clientsOf(strict, rates[kind].tokens, rates[kind].clients)))
  }
  const waiting = await clientsOf(patient, ['slow'], 70)
  const startTick = performance.now()
  const pressed: Asked[] = []
  const isUsed = (kind: Kind) =>
    pressed.filter((one) => one.status === 200 && isOf(kind, one)).length >= leastEntered(kind)
  let areUsed = false
  const isOver = () => {
    const ms = performance.now() - startTick
    areUsed ||= ms >= storyMs && kinds.every(isUsed)
    return areUsed || ms >= longestMs
  }
  const [waited] = await Promise.all([
    Promise.all(waiting.map((client) => client.ask())),
    // They begin one after another: the time between sending and arriving tells more then.
    ...all.map(async (client, at) => {
      await Bun.sleep(at * 4)
      await press(client, isOver, pressed)
    }),
  ])
  return [...waited, ...pressed]
}

const isOf = (kind: Kind, { who }: Asked) => (rates[kind].tokens as readonly string[]).includes(who)
/** Of what two windows hold. */
const leastEntered = (kind: Kind) => 0.99 * 2 * rates[kind].rpm

/** As the upstream sees it, for whom some are longer under way than others. */
function mostAtUpstream(entered: readonly Asked[]): number {
  const arrivals = entered.map(({ number }) => strict.arrivedAt.get(number) ?? 0)
  const from = (start: number) => arrivals.filter((at) => at >= start && at < start + 60_000).length
  return Math.max(...arrivals.map(from))
}

/** Those of the first minute that were told another second than the one in which it ends. */
function retryAfterFaults(own: readonly Asked[], entered: readonly Asked[]): Asked[] {
  const begin = Math.min(...entered.map(({ sentAt }) => sentAt))
  const arrivals = entered.map(({ number }) => strict.arrivedAt.get(number) ?? 0)
  const end = Math.max(...arrivals.filter((at) => at < begin + 30_000))
  return own.filter(({ status, sentAt, answeredAt, retryAfter = 0 }) => {
    if (status === 200 || answeredAt > begin + 59_000) return false
    const isTooEarly = answeredAt + retryAfter * 1000 < begin + 60_000
    return isTooEarly || sentAt + retryAfter * 1000 > end + 61_000
  })
}

test.each(kinds)('of %ss: no window has more than allowed, and all of it is used', (kind) => {
  const { rpm, clients } = rates[kind]
  const own = asked.filter((one) => isOf(kind, one))
  const entered = own.filter(({ number }) => strict.arrivedAt.has(number))
  const refused = own.filter(({ status }) => status === 429)
  console.log(
    `${kind}: ${clients} clients asked ${own.length} times, ${entered.length} were let in, ` +
      `${mostAtUpstream(entered)} of ${rpm} reached the upstream in some minute`,
  )
  expect(entered.length + refused.length).toBe(own.length)
  expect(surelyInMinute(own, strict.arrivedAt)).toBeLessThanOrEqual(rpm)
  // What two windows hold, and not what three do.
  expect(entered.length).toBeGreaterThanOrEqual(leastEntered(kind))
  expect(entered.length).toBeLessThanOrEqual(2 * rpm)
  expect(retryAfterFaults(own, entered)).toEqual([])
})

test('who may wait long enough is let in when there is room', () => {
  const own = asked.filter(({ who }) => who === 'slow')
  expect(own.filter(({ status }) => status === 200).length).toBe(70)
  expect(surelyInMinute(own, patient.arrivedAt)).toBe(40)
  const waited = own.map(({ sentAt, answeredAt }) => answeredAt - sentAt)
  expect(waited.filter((ms) => ms > 50_000).length).toBe(30)
})
