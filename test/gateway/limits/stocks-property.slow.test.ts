import { describe, expect, test } from 'bun:test'
import type { Permit, Subject } from '../../../src/gateway/limits/limiter.ts'
import { createSeeded, type Seeded } from '../../protocols/translation/seeded.ts'
import { rounds } from '../../support/rounds.ts'
import { subject } from './limit-scene.ts'
import { ask, createStocksScene, leaseMs, turn, type Worker } from './stocks-scene.ts'

const minuteMs = 60_000

/** What was let in for a subject and when, as seen from outside. */
interface Ledger {
  readonly subject: Subject
  readonly counted: { readonly at: number; requests: number; llmTokens: number }[]
  open: number
}

interface Request {
  readonly worker: Worker
  readonly permit: Permit
  readonly llmTokens: number
  readonly subjects: readonly Ledger[]
  readonly counted: readonly Ledger['counted'][number][]
}

/** Of each kind some that are lent and some that are not. */
const limitsOf = (random: Seeded) => ({
  rpm: random.pick([null, 400, 400, 1_500, random.pick([50, 400])]),
  tpm: random.pick([null, null, 30_000, 1_000_000]),
  concurrency: random.pick([null, null, 100, 600, random.pick([10, 100])]),
})

const ledgerOf = (random: Seeded, kind: Subject['kind'], id: number): Ledger => ({
  ...{ subject: subject(kind, limitsOf(random), id), counted: [], open: 0 },
})

/** Three workers whose requests come, end, and are counted otherwise, while workers die and answers are lost. */
function createStory(seed: number) {
  const random = createSeeded(seed)
  const scene = createStocksScene(3)
  const workers = [...scene.workers]
  const account = ledgerOf(random, 'account', 1)
  const tokens = [1, 2, 3].map((id) => [ledgerOf(random, 'token', id), account])
  const channel = ledgerOf(random, 'channel', 1)
  const open = new Set<Request>()
  // A keeper that starts anew does not hear of what dead workers have let in.
  const isDying = random.once(2)
  let { keeper } = scene
  const loss = random.pick([0, 0, 10, 50])
  scene.fate.of = () => {
    if (random.below(100) >= loss) return random.pick(['arrives', 'late'] as const)
    return random.pick(['lost', 'unheard'] as const)
  }
  let here = 0

  /** In each minute no more was let in than allowed. */
  function check({ subject: { limits }, counted, open }: Ledger, llmTokens: number): void {
    const recent = counted.filter(({ at }) => at > scene.tick() - minuteMs)
    const { rpm, tpm, concurrency } = limits
    const sum = (what: 'requests' | 'llmTokens') => recent.reduce((all, one) => all + one[what], 0)
    if (rpm !== null) expect(sum('requests')).toBeLessThanOrEqual(rpm)
    if (tpm !== null && llmTokens > 0)
      expect(sum('llmTokens')).toBeLessThanOrEqual(Math.max(tpm, llmTokens))
    if (concurrency !== null) expect(open).toBeLessThanOrEqual(concurrency)
  }

  function enter(request: Omit<Request, 'counted'>): void {
    const { subjects, llmTokens } = request
    const counted = subjects.map((ledger) => {
      const one = { at: scene.tick(), requests: 1, llmTokens }
      ledger.counted.push(one)
      ledger.open++
      check(ledger, llmTokens)
      return one
    })
    open.add({ ...request, counted })
  }

  async function come(): Promise<void> {
    const worker = random.pick(workers)
    const llmTokens = random.pick([0, 10, 100, 100, 100, 2_000])
    const { admits } = worker.sent
    const { size } = open
    if (random.once(4)) {
      const found = await worker.limiter.tryAcquire(channel.subject, llmTokens)
      if ('release' in found) enter({ worker, permit: found, llmTokens, subjects: [channel] })
    } else {
      const subjects = random.pick(tokens)
      const permit = await ask(
        worker,
        subjects.map((ledger) => ledger.subject),
        llmTokens,
      )
      if (permit) enter({ worker, permit, llmTokens, subjects })
    }
    if (worker.sent.admits === admits && open.size > size) here++
  }

  function end(request: Request): void {
    open.delete(request)
    const { permit, subjects, counted, llmTokens } = request
    for (const ledger of subjects) ledger.open--
    if (random.once(20)) {
      permit.undo()
      for (const one of counted) Object.assign(one, { requests: 0, llmTokens: 0 })
      return
    }
    const used = random.pick([llmTokens, Math.floor(llmTokens / 2), llmTokens + 50])
    if (used < llmTokens) for (const one of counted) one.llmTokens = used
    permit.used(used)
    permit.release()
  }

  function die(): void {
    const at = random.below(workers.length)
    const dead = workers[at]
    dead?.kill()
    workers[at] = scene.openWorker()
    for (const request of open) {
      if (request.worker !== dead) continue
      open.delete(request)
      for (const ledger of request.subjects) ledger.open--
    }
  }

  async function restart(): Promise<void> {
    for (const worker of workers) worker.disconnect()
    keeper = scene.openKeeper()
    await turn()
    for (const worker of workers) worker.connect(keeper, true)
    await turn()
  }

  async function step(): Promise<void> {
    for (let count = random.pick([0, 5, 10, 30]); count > 0; count--) {
      await come()
      if (random.once(4)) await turn()
    }
    for (let count = random.below(30); count > 0 && open.size > 0; count--)
      end(random.pick([...open]))
    if (random.once(3)) await turn()
    if (random.once(60)) {
      if (isDying) die()
      else await restart()
    }
    if (random.once(40)) {
      const worker = random.pick(workers)
      worker.disconnect()
      await turn()
      worker.connect(keeper, false)
    }
    scene.jump(random.once(30) ? random.pick([1_000, 5_000, 61_000]) : random.pick(jumps))
    if (random.once(2)) await turn()
  }

  return {
    step,
    here: () => here,
    /** All is free again: as many as the limits allow get in. */
    async finish(): Promise<void> {
      scene.fate.of = () => 'arrives'
      for (const request of [...open]) end(request)
      await scene.pass(minuteMs + 2 * leaseMs, 100)
      for (const { subject } of [...tokens.flat(), channel]) {
        const { rpm, concurrency } = subject.limits
        if (rpm === null) continue
        let passed = 0
        for (let permit = await ask(random.pick(workers), [subject]); permit; passed++) {
          permit.release()
          permit = await ask(random.pick(workers), [subject])
        }
        expect([subject.name, concurrency, passed]).toEqual([subject.name, concurrency, rpm])
        await scene.pass(minuteMs + leaseMs, 100)
      }
      for (const { limiter } of workers) limiter.stop()
    },
  }
}

const jumps = [0, 1, 5, 5, 20, 20, 100, 250]

let enteredHere = 0

describe('whatever workers hold, and whoever dies', () => {
  test.each(Array.from({ length: rounds(8, 500) }, (_, seed) => seed))(
    'no minute has more than allowed, and all is free again (seed %d)',
    async (seed) => {
      const story = createStory(seed)
      for (let step = 0; step < 250; step++) await story.step()
      enteredHere += story.here()
      await story.finish()
    },
  )

  test('many of them were let in without a round trip', () => {
    expect(enteredHere).toBeGreaterThan(1_000)
  })
})
