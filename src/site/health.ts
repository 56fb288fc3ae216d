import { Elysia } from 'elysia'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { Spool, SpoolRemark } from '../store/ports/records.ts'

interface ReadinessParts {
  readonly check: () => Promise<void>
  /** Whether the database is no longer the opened file. */
  readonly isGone?: () => boolean
  /** Whether settlements wait that the database does not take. */
  readonly isBehind?: () => boolean
  /** Holds settlements on this node's disk. */
  readonly spool?: Pick<Spool, 'hasFailed' | 'remark'> | undefined
  /** Whether changes by other processes are unknown. */
  readonly isDeaf?: () => boolean
  readonly isShort?: () => boolean
  readonly tick: Clock
  readonly log: Logger
  /** How long the database's answer holds, and how long it may take; default 1,000 ms. */
  readonly goodForMs?: number
}

type Unready = 'draining' | 'unspooled' | 'gone' | 'database' | 'behind' | 'deaf' | 'short'

export type Readiness = ReturnType<typeof createReadiness>

/**
 * Whether a load balancer may send requests here. Asks the database at most once a second, on request. A silent
 * database counts as failed.
 */
export function createReadiness({
  check,
  isGone = () => false,
  isBehind = () => false,
  spool,
  isDeaf = () => false,
  isShort = () => false,
  tick,
  log,
  goodForMs = 1_000,
}: ReadinessParts) {
  let isDraining = false
  let answers = true
  let answeredAt = Number.NEGATIVE_INFINITY
  let running: { readonly since: number; readonly ended: Promise<void> } | undefined

  function found(error?: unknown): void {
    const isWell = error === undefined
    answeredAt = tick()
    if (isWell === answers) return
    answers = isWell
    if (isWell) log.info('the database answers again', {})
    else log.error('not ready: the database does not answer', { error: String(error) })
  }

  function begin() {
    const ended = check()
      .then(() => found(), found)
      .finally(() => {
        running = undefined
      })
    running = { since: tick(), ended }
    return running
  }

  async function databaseAnswers(): Promise<boolean> {
    if (running === undefined && tick() - answeredAt < goodForMs) return answers
    const { since, ended } = running ?? begin()
    const silence = Promise.withResolvers<void>()
    const timer = setTimeout(silence.resolve, Math.max(0, goodForMs - (tick() - since)))
    await Promise.race([ended, silence.promise])
    clearTimeout(timer)
    if (running?.ended === ended) found(`silent for ${goodForMs} ms`)
    return answers
  }

  return {
    /** Undefined: ready. Bounded by the time of a check; never rejects. */
    async problem(): Promise<Unready | undefined> {
      if (isDraining) return 'draining'
      if (isBehind() && spool?.hasFailed()) return 'unspooled'
      if (isShort()) return 'short'
      if (isGone()) return 'gone'
      if (!(await databaseAnswers())) return 'database'
      if (isBehind()) return 'behind'
      return isDeaf() ? 'deaf' : undefined
    },
    /** What the operator should look at while the node is ready. */
    remark: () => spool?.remark(),
    isDraining: () => isDraining,
    drain(): void {
      isDraining = true
    },
  }
}

const causes: Readonly<Record<Unready, string>> = {
  draining: 'draining: the gateway is about to stop',
  unspooled: 'the database takes no writing, and the spool is full or can not be written',
  gone: 'the file of the database is gone, or not as it was left',
  database: 'the database does not answer',
  behind: 'the database takes no writing',
  deaf: 'the database reports no changes',
  short: 'no file descriptors are left',
}

const remarks: Readonly<Record<SpoolRemark, string>> = {
  damaged: 'a part of the spool was damaged and is set aside: see the log',
  refused: 'the database has refused a settlement, which is set aside: see the log',
  missing: 'there is no spool, for its folder can not be written: see the log',
}

/** For load balancers: open to all, never cached, and without private information. */
export function healthRoutes(readiness: Pick<Readiness, 'problem' | 'remark'>) {
  return new Elysia({ name: 'site.health' })
    .get('/livez', () => plain(200, 'alive'), { parse: 'none' })
    .get(
      '/readyz',
      async () => {
        const problem = await readiness.problem()
        if (problem !== undefined) return plain(503, causes[problem])
        const remark = readiness.remark()
        return plain(200, remark === undefined ? 'ready' : `ready\n${remarks[remark]}`)
      },
      { parse: 'none' },
    )
}

const plain = (status: number, text: string) =>
  new Response(`${text}\n`, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })
