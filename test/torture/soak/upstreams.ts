import {
  answerWell,
  type Due,
  type FaultName,
  faults,
  faultsFor,
  isHarmless,
} from '../../support/fault/odd-answers.ts'
import { dialectOf } from '../../support/fault/well.ts'
import { type Answerer, startMortalUpstream } from '../../support/mortal-upstream.ts'
import { pick, type Random } from '../../support/random.ts'
import { readQuestion, tokensOf } from './asks.ts'

/** How an upstream is for a while. */
const moods = {
  /** Something goes wrong now and then. */
  usual: { faulty: 0.08, only: undefined },
  well: { faulty: 0, only: undefined },
  failing: { faulty: 1, only: 'status-500' },
  limited: { faulty: 0.9, only: 'status-429' },
  silent: { faulty: 0.9, only: 'stall' },
  slow: { faulty: 0.9, only: 'slow' },
  /** Nobody listens. */
  gone: { faulty: 1, only: 'reset' },
} as const satisfies Record<string, { faulty: number; only: FaultName | undefined }>
type Mood = keyof typeof moods

/** The upstreams of a soak, and what they did. */
export interface SoakUpstreams extends AsyncDisposable {
  readonly urls: readonly string[]
  /** Ids under which whole answers were sent, or begun to be. */
  readonly answered: ReadonlySet<string>
  /** How often each thing went wrong. */
  readonly counts: ReadonlyMap<string, number>
  /** Lets them change their moods until `isOver`; then all are well. */
  live(isOver: () => boolean): Promise<void>
  /** Ends all connections. */
  breakAll(): void
}

export async function startUpstreams(random: Random, count: number): Promise<SoakUpstreams> {
  const answered = new Set<string>()
  const counts = new Map<string, number>()
  let last = 0
  const all = await Promise.all(Array.from({ length: count }, () => start()))

  async function start() {
    const state: { mood: Mood } = { mood: 'usual' }
    const answer: Answerer = (request, line) => {
      const asked = readQuestion(request.text)
      if (asked === undefined || request.protocol === undefined) return line.play([{ do: 'end' }])
      const upstreamId = `upstream-${asked.number}-${++last}`
      const { isStreamed } = request
      const tokens = tokensOf(asked.number)
      const dialect = dialectOf(request)
      const due: Due = { ...asked, tokens, isStreamed, dialect, upstreamId, random }
      const fault = chooseFault(state.mood, isStreamed)
      if (fault === undefined || isHarmless(fault)) answered.add(upstreamId)
      const name = fault ?? 'well'
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return line.play(fault === undefined ? answerWell(due) : faults[fault](due))
    }
    return { state, upstream: await startMortalUpstream(answer) }
  }

  function chooseFault(mood: Mood, isStreamed: boolean): FaultName | undefined {
    const { faulty, only } = moods[mood]
    if (random() >= faulty) return undefined
    return only ?? pick(random, faultsFor(isStreamed))
  }

  async function change({ state, upstream }: (typeof all)[number], mood: Mood) {
    if (state.mood === mood) return
    if (mood === 'gone') await upstream.die()
    if (state.mood === 'gone') await upstream.revive()
    state.mood = mood
  }

  return {
    urls: all.map(({ upstream }) => upstream.url),
    answered,
    counts,
    async live(isOver) {
      const names = Object.keys(moods) as Mood[]
      while (!isOver()) {
        await Bun.sleep(500 + random() * 2_500)
        await change(pick(random, all), random() < 0.5 ? 'usual' : pick(random, names))
      }
      for (const one of all) await change(one, 'well')
    },
    breakAll() {
      for (const { upstream } of all) upstream.breakAll()
    },
    async [Symbol.asyncDispose]() {
      for (const { upstream } of all) await upstream[Symbol.asyncDispose]()
    },
  }
}
