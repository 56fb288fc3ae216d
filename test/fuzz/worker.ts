import type { ProtocolName } from '../../src/protocols/protocol.ts'
import { heapBytes, type LongStream, longStreams } from './long-streams.ts'
import { type Ran, trialNames } from './trial.ts'
import { advanceAll, runnersOf } from './trials.ts'

/** What the worker is to do. */
export interface Job {
  readonly protocols: readonly ProtocolName[]
  readonly seed: number
  readonly count: number
  /** One case only. */
  readonly only: { readonly trial: number; readonly index: number } | undefined
  /** Where it is: the numbers of the protocol, the trial and the case; and how many inputs were. */
  readonly place: Int32Array
}

/** What it tells, a protocol at a time. */
export interface Result {
  readonly protocol: ProtocolName
  readonly ran: readonly Ran[]
  readonly longStreams: readonly LongStream[]
  /** Bytes that are alive after a quarter of the inputs, and at the end. */
  readonly heap: { readonly early: number; readonly late: number } | undefined
}

/** In this many rounds the trials take turns, so that each quarter of a run is like the others. */
const rounds = 40

async function runProtocol(protocol: ProtocolName, at: number, job: Job): Promise<Result> {
  const { seed, count, only, place } = job
  Atomics.store(place, 0, at)
  Atomics.store(place, 4, 0)
  const runners = runnersOf(protocol, seed, (trial, index) => {
    Atomics.store(place, 1, trial)
    Atomics.store(place, 2, index)
    Atomics.add(place, 3, 1)
  })
  const ran = runners.map((runner) => runner.ran)
  if (only !== undefined) {
    await runners[only.trial]?.only(only.index)
    return { protocol, ran, longStreams: [], heap: undefined }
  }
  let early = 0
  for (let round = 1; round <= rounds; round++) {
    await advanceAll(runners, count / rounds)
    Atomics.store(place, 4, Math.round((round / rounds) * 1000))
    if (round === rounds / 4) early = heapBytes()
  }
  const late = heapBytes()
  Atomics.store(place, 1, trialNames.length)
  const streams: LongStream[] = []
  for (const stream of longStreams(protocol, Math.min(200_000, Math.max(20_000, count / 5)))) {
    streams.push(stream)
    Atomics.add(place, 3, 1)
  }
  return { protocol, ran, longStreams: streams, heap: { early, late } }
}

declare const self: Worker

self.onmessage = async ({ data: job }: MessageEvent<Job>) => {
  for (const [at, protocol] of job.protocols.entries()) {
    self.postMessage(await runProtocol(protocol, at, job))
  }
}
