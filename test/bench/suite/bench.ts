import type { TempDir } from '../../support/temp-dir.ts'
import { type Part, startPart } from '../streams/part.ts'
import type { LoadQuestions } from './load.ts'
import type { Client } from './measure.ts'
import { startConstantUpstream } from './nginx.ts'
import type { StreamUpstreamQuestions } from './stream-upstream.ts'
import { type Place, type Subject, type SubjectName, startSubject } from './subjects.ts'
import type { CaseSummary } from './summary.ts'

/** How long and how often is measured, and how much is put into the databases. */
export interface BenchOptions {
  readonly rounds: number
  readonly seconds: number
  /** Before the first measurement of a program that compiles itself while it runs. */
  readonly warmSeconds: number
  readonly subjects: readonly SubjectName[]
  readonly tokens: number
  readonly requests: number
  readonly models: number
  readonly groups: number
}

/** What stands behind the subjects. */
export type UpstreamName = 'constant' | 'streams'

/** All that a case needs. */
export interface Bench extends AsyncDisposable {
  readonly options: BenchOptions
  readonly place: Place
  readonly client: Client
  readonly upstreams: Readonly<Record<UpstreamName, string>>
  /** Starts a subject, once for each upstream; undefined where it is not there. */
  subject(name: SubjectName, upstream: UpstreamName): Promise<Subject | undefined>
  /** Runs `load` on a program for as long as it takes to warm it up, the first time. */
  warm(subject: Subject, load: (seconds: number) => Promise<unknown>): Promise<void>
  say(line: string): void
}

/** One thing that is measured. */
export interface BenchCase {
  readonly name: string
  readonly isQuick?: boolean
  run(bench: Bench): Promise<CaseSummary>
}

/** The core that subjects have for themselves, and that of everything else. */
export const cores = { subject: 0, others: 1 } as const

const shortWarmSeconds = 1

/** Starts what stands on both sides of the subjects. */
export async function startBench(
  options: BenchOptions,
  { folder, portkey, say }: { folder: TempDir; portkey: string | undefined } & Pick<Bench, 'say'>,
): Promise<Bench> {
  const constant = await startConstantUpstream(folder, cores.others)
  const streams = startPart<StreamUpstreamQuestions>('../suite/stream-upstream.ts', cores.others)
  const load: Part<LoadQuestions> = startPart('../suite/load.ts', cores.others)
  const streamsPort = await streams.ask('port', undefined as never)
  const upstreams = { constant: constant.url, streams: `http://127.0.0.1:${streamsPort}` }
  const place: Place = { folder, files: folder.path, core: cores.subject, portkey }
  const subjects = new Map<string, Promise<Subject | undefined>>()
  const warmed = new Set<Subject>()
  const leaveOut = (error: unknown) => {
    say(String(error))
    return undefined
  }
  return {
    ...{ options, place, upstreams, say },
    client: { load, core: cores.others },
    subject(name, upstream) {
      const key = `${name} ${upstream}`
      const start = () => startSubject(name, upstreams[upstream], place).catch(leaveOut)
      const known = subjects.get(key) ?? start()
      subjects.set(key, known)
      return known
    },
    async warm(subject, warmUp) {
      const compiles = subject.program !== undefined && subject.name !== 'nginx'
      const isFirst = compiles && !warmed.has(subject)
      warmed.add(subject)
      await warmUp(isFirst ? options.warmSeconds : shortWarmSeconds)
    },
    async [Symbol.asyncDispose]() {
      for (const subject of subjects.values()) await (await subject)?.[Symbol.asyncDispose]()
      for (const part of [load, streams, constant]) await part[Symbol.asyncDispose]()
    },
  }
}
