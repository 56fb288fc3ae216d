import { describe, expect, test } from 'bun:test'
import type { Permit, Subject } from '../../../src/gateway/limits/limiter.ts'
import { graceMs } from '../../../src/gateway/limits/sliding-window.ts'
import { createSeeded, type Seeded } from '../../protocols/translation/seeded.ts'
import { createLimitScene, type Entering, settled, subject } from './limit-scene.ts'

const minute = 60_000

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
