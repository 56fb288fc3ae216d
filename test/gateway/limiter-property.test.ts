import { describe, expect, test } from 'bun:test'
import type { Permit, Subject } from '../../src/gateway/limiter.ts'
import type { Limits } from '../../src/store/ports/catalog.ts'
import { createSeeded, type Seeded } from '../protocols/translation/seeded.ts'
import { createLimitScene, type Entering, settled, subject } from './limit-scene.ts'

const minute = 60_000
const graceMs = 200

/** What was counted for a subject and when, as seen from outside. */
interface Counted {
  readonly at: number
  /** How many had asked by then. */
  readonly asked: number
  requests: number
  llmTokens: number
}

interface Ledger {
  readonly subject: Subject
  readonly counted: Counted[]
  open: number
}

interface Request {
  readonly number: number
  readonly subjects: readonly Ledger[]
  readonly llmTokens: number
  readonly entering: Entering
  readonly came: number
  readonly waitMs: number
  counted: readonly Counted[]
}

const limitsOf = (random: Seeded) => ({
  rpm: random.pick([null, 1, 2, 7, 40]),
  tpm: random.pick([null, 100, 1000, 5000]),
  concurrency: random.pick([null, 1, 2, 5]),
})

const ledgerOf = (random: Seeded, kind: Subject['kind'], id: number): Ledger => ({
  subject: subject(kind, limitsOf(random), id),
  counted: [],
  open: 0,
})

/** Requests that come, wait, leave, end and are counted again, for hours; all is checked as it goes. */
function createStory(seed: number) {
  const random = createSeeded(seed)
  const { ask, jump, tick, timers, limiter, entered: letIn } = createLimitScene()
  const accounts = [1, 2].map((id) => ledgerOf(random, 'account', id))
  const groups = [1, 2].map((id) => ledgerOf(random, 'group', id))
  const tokens = [1, 2, 3, 4].map((id) => ({
    all: [ledgerOf(random, 'token', id), random.pick(accounts), random.pick(groups)],
    last: -1,
  }))
  const waiting = new Map<Entering, Request>()
  const open = new Set<Request>()
  let asked = 0
  let entered = 0

  function come(): void {
    const { all } = random.pick(tokens)
    const llmTokens = random.pick([0, 1, 30, 90, 90, 150, 2000])
    const waitMs = random.pick([0, 0, 500, 30_000, 200_000])
    const subjects = all.map((ledger) => ledger.subject)
    const entering = ask(subjects, llmTokens, waitMs)
    const came = { number: asked++, subjects: all, llmTokens, entering, came: tick(), waitMs }
    waiting.set(entering, { ...came, counted: [] })
  }

  /**
   * In the last minute no more than allowed was counted, with this request. What others turned out
   * to have used while it held its place is not its fault.
   */
  function checkWindow({ subject: { limits }, counted }: Ledger, request: Request): void {
    const recent = counted.filter(({ at }) => at >= tick() - minute)
    const requests = recent.reduce((sum, each) => sum + each.requests, 0)
    const known = recent.filter((each) => each.requests > 0 || each.asked <= request.number)
    const used = known.reduce((sum, each) => sum + each.llmTokens, 0)
    const { rpm, tpm } = limits
    if (rpm !== null) expect(requests).toBeLessThanOrEqual(rpm)
    if (tpm === null || request.llmTokens === 0) return
    expect(used).toBeLessThanOrEqual(Math.max(tpm, request.llmTokens))
  }

  function enter(request: Request): void {
    entered++
    waiting.delete(request.entering)
    open.add(request)
    request.counted = request.subjects.map((ledger) => {
      const counted = { at: tick(), asked, requests: 1, llmTokens: request.llmTokens }
      ledger.counted.push(counted)
      ledger.open++
      checkWindow(ledger, request)
      const { concurrency } = ledger.subject.limits
      if (concurrency !== null) expect(ledger.open).toBeLessThanOrEqual(concurrency)
      return counted
    })
    const token = tokens.find(({ all }) => all[0] === request.subjects[0])
    if (token === undefined) throw new Error('no such token')
    expect(request.number).toBeGreaterThan(token.last)
    token.last = request.number
  }

  async function look(): Promise<void> {
    await settled()
    for (const entering of letIn.splice(0)) {
      const request = waiting.get(entering)
      if (request) enter(request)
    }
    for (const [entering, request] of waiting) {
      if (entering.refused || entering.thrown) waiting.delete(entering)
      // Late by a beat at most, and by as much as the clock jumps.
      const waitedMs = tick() - request.came - Math.max(request.waitMs, graceMs)
      if (waiting.has(entering)) expect(waitedMs).toBeLessThan(10 + longestJump)
    }
  }

  /** Ends a request; whoever is let in by a part of that is looked at before the next. */
  async function end(request: Request, permit: Permit): Promise<void> {
    open.delete(request)
    const { subjects, llmTokens, counted } = request
    for (const ledger of subjects) ledger.open--
    if (random.once(5)) {
      for (const each of counted) Object.assign(each, { requests: 0, llmTokens: 0 })
      permit.undo()
      return look()
    }
    if (random.once(2)) permit.release()
    await look()
    const used = random.pick([0, llmTokens, llmTokens + 40, 60])
    const more = used - llmTokens
    const rest = { at: tick(), asked, requests: 0, llmTokens: more }
    if (more <= 0) for (const each of counted) each.llmTokens = used
    else for (const { counted } of subjects) counted.push({ ...rest })
    permit.used(used)
    await look()
    permit.release()
    await look()
  }

  async function step(): Promise<void> {
    for (let count = random.below(6); count > 0; count--) come()
    await look()
    if (open.size > 0 && random.once(2)) {
      const request = random.pick([...open])
      if (request.entering.permit) await end(request, request.entering.permit)
    }
    if (waiting.size > 0 && random.once(10)) random.pick([...waiting.keys()]).abort()
    await look()
    jump(random.pick(jumps))
    await look()
  }

  return {
    step,
    counts: () => ({ asked, entered, waiting: waiting.size, open: open.size }),
    async finish() {
      limiter.stop()
      await look()
      expect(waiting.size).toBe(0)
      expect(timers()).toBe(0)
    },
  }
}

const jumps = [0, 0, 1, 10, 99, 100, 101, 1000, 5000, 20_000, 61_000]
const longestJump = Math.max(...jumps)

describe('whatever comes, and however time goes', () => {
  test.each(Array.from({ length: 25 }, (_, seed) => seed))(
    'no window has more than allowed, and nobody overtakes (seed %d)',
    async (seed) => {
      const story = createStory(seed)
      for (let step = 0; step < 1000; step++) await story.step()
      const { asked, entered } = story.counts()
      expect(entered).toBeGreaterThan(asked / 200)
      await story.finish()
    },
  )
})

describe('under pressure', () => {
  const minutes = 20

  /** What is let in of clients that never rest, as `[tick, amount]`. */
  async function press(limits: Partial<Limits>, waitMs: number, sizes: readonly number[]) {
    const { ask, jump, tick, settled, entered, limiter } = createLimitScene()
    const random = createSeeded(sizes.length)
    const key = [subject('token', limits)]
    const sizeOf = new Map<Entering, number>()
    const found: [number, number][] = []
    const end = tick() + minutes * minute
    while (tick() < end) {
      // Half of those who were refused come again at once, and those who wait are many enough.
      for (let tries = waitMs > 0 ? 200 - sizeOf.size : 3; tries > 0; tries--) {
        const size = random.pick(sizes)
        const entering = ask(key, size, waitMs)
        if (!entering.refused) sizeOf.set(entering, size)
        else if (random.once(2)) break
      }
      await settled()
      for (const entering of entered.splice(0)) {
        found.push([tick(), sizeOf.get(entering) ?? 0])
        sizeOf.delete(entering)
        entering.permit?.release()
      }
      jump(random.pick([1, 5, 20, 50]))
    }
    limiter.stop()
    return found
  }

  /** The most that was let in within a minute, wherever it begins. */
  function mostInMinute(found: readonly [number, number][]): number {
    let [most, sum, first] = [0, 0, 0]
    for (const [at, amount] of found) {
      sum += amount
      for (let oldest = found[first]; oldest && at - oldest[0] > minute; oldest = found[++first]) {
        sum -= oldest[1]
      }
      most = Math.max(most, sum)
    }
    return most
  }

  const total = (found: readonly [number, number][]) =>
    found.reduce((sum, [, size]) => sum + size, 0)

  test.each([
    [1, 0],
    [2, 0],
    [7, 61_000],
    [60, 0],
    [601, 5_000],
    [5000, 0],
  ])('of %d requests a minute all and no more are let in (waiting %d ms)', async (rpm, waitMs) => {
    const found = await press({ rpm }, waitMs, [1])
    expect(mostInMinute(found)).toBe(rpm)
    expect(total(found)).toBeGreaterThanOrEqual(0.99 * rpm * minutes)
  })

  test.each([
    [10_000, 0],
    [10_000, 61_000],
    [250_000, 5_000],
  ])('so are %d LLM tokens a minute (waiting %d ms)', async (tpm, waitMs) => {
    const found = await press({ tpm }, waitMs, [1, 10, 20, 50])
    expect(mostInMinute(found)).toBeLessThanOrEqual(tpm)
    expect(total(found)).toBeGreaterThanOrEqual(0.99 * tpm * minutes)
  })
})

describe('Retry-After', () => {
  test.each(Array.from({ length: 200 }, (_, seed) => seed))(
    'whoever waits so long and is alone is let in, and not a second earlier (seed %d)',
    async (seed) => {
      const random = createSeeded(seed)
      const { ask, pass, settled } = createLimitScene()
      const limits = () => ({ rpm: random.pick([null, 1, 5, 30]), tpm: random.pick([50, 300]) })
      const subjects = (['token', 'account', 'group'] as const).map((kind) =>
        subject(kind, limits()),
      )
      let refused: Entering['refused']
      let size = 0
      while (refused === undefined) {
        size = random.pick([1, 10, 40, 90])
        const entering = ask(subjects, size)
        await settled()
        if (random.once(4)) entering.permit?.used(random.pick([0, size, size + 60]))
        refused = entering.refused
        if (!refused) pass(random.pick([0, 50, 1000, 7000]))
      }
      const seconds = refused.details.retryAfter ?? 0
      expect(seconds).toBeGreaterThanOrEqual(1)
      pass((seconds - 1) * 1000)
      if (seconds > 1) expect(ask(subjects, size).refused?.details.retryAfter).toBe(1)
      pass(1000)
      const again = ask(subjects, size)
      pass(graceMs + 10)
      await settled()
      expect(again.permit).toBeDefined()
    },
  )

  test.each(Array.from({ length: 50 }, (_, seed) => seed))(
    'also behind a queue (seed %d)',
    async (seed) => {
      const random = createSeeded(seed)
      const { ask, pass, settled } = createLimitScene()
      const key = [subject('token', { rpm: random.pick([1, 3, 20]), tpm: random.pick([50, 300]) })]
      const sizes = [1, 10, 40, 90]
      for (let count = random.below(40); count > 0; count--) {
        ask(key, random.pick(sizes), 3_600_000)
        pass(random.pick([0, 0, 90, 5000]))
      }
      const size = random.pick(sizes)
      const { refused } = ask(key, size)
      if (!refused) return
      const seconds = refused.details.retryAfter ?? 0
      if (seconds > 1) {
        pass((seconds - 1) * 1000)
        expect(ask(key, size).refused).toBeDefined()
      }
      // A beat late for each round of waiting.
      pass(1000 + Math.ceil(seconds / 60) * 10)
      const again = ask(key, size)
      pass(graceMs + 10)
      await settled()
      expect(again.permit).toBeDefined()
    },
  )
})
