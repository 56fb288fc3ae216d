import { type Column, formatTable } from '../../src/lib/table.ts'
import type { LongStream } from './long-streams.ts'
import type { Finding, Ran } from './trial.ts'
import type { Result } from './worker.ts'

/** What a protocol's heap may have grown by in three quarters of a run. */
const maxGrowthBytes = 6_000_000

/** All that does not hold, in lines: empty when all is well. */
export function faultsOf(results: readonly Result[]): readonly string[] {
  return results.flatMap(({ protocol, ran, longStreams, heap }) => [
    ...ran.flatMap(({ findings }) => findings.map(describeFinding)),
    ...longStreams.flatMap(({ client, kind, events, faults }) =>
      faults.map((fault) => `${events} ${kind} events of ${protocol} for ${client}: ${fault}`),
    ),
    ...(heap !== undefined && heap.late - heap.early > maxGrowthBytes
      ? [`${protocol}: the heap has grown by ${mega(heap.late - heap.early)} MB`]
      : []),
  ])
}

/** Longer inputs are cut: the case can be run again. */
const maxShown = 6_000

function describeFinding({ trial, protocol, seed, index, what, input, repeats }: Finding): string {
  const again = `--protocol ${protocol} --seed ${seed} --case ${trial}:${index}`
  const more = repeats === 0 ? '' : `, and in ${repeats} further cases`
  const shown = input.length > maxShown ? `${input.slice(0, maxShown)}…` : input
  return `${protocol} ${trial}: ${what}\n  again: bun run fuzz ${again}${more}\n  input: ${shown}`
}

const columns: readonly Column<Ran>[] = [
  { title: 'protocol', text: ({ protocol }) => protocol },
  { title: 'trial', text: ({ trial }) => trial },
  { title: 'inputs', text: ({ inputs }) => String(inputs), right: true },
  { title: 'cases', text: ({ cases }) => String(cases), right: true },
  { title: 'µs each', text: ({ ms, inputs }) => (1000 * (ms / inputs)).toFixed(0), right: true },
  { title: 'slowest ms', text: ({ slowestMs }) => slowestMs.toFixed(0), right: true },
  { title: 'findings', text: ({ findings }) => String(findings.length), right: true },
  {
    title: 'of which',
    text: ({ tally }) =>
      Object.entries(tally)
        .map(([name, count]) => `${count} ${name}`)
        .join(', '),
  },
]

/** A run in lines for a person. */
export function describeRun(results: readonly Result[]): readonly string[] {
  const ran = results.flatMap((result) => result.ran).filter(({ cases }) => cases > 0)
  const heaps = results.flatMap(({ protocol, heap }) =>
    heap === undefined
      ? []
      : [`${protocol}: ${mega(heap.early)} MB alive at 25 %, ${mega(heap.late)} MB at 100 %`],
  )
  return [...formatTable(columns, ran), ...heaps, ...describeLong(results)]
}

function describeLong(results: readonly Result[]): readonly string[] {
  const streams = results.flatMap(({ longStreams }) => longStreams)
  const [first] = streams
  if (first === undefined) return []
  const worst = (pick: (stream: LongStream) => number) => Math.max(...streams.map(pick))
  const bytes = worst(({ bytesEach }) => bytesEach).toFixed(0)
  const micros = worst(({ totalMs, events }) => (totalMs * 1000) / events).toFixed(0)
  const ratio = worst((stream) => stream.ratio).toFixed(1)
  return [
    `${streams.length} streams of ${first.events} events: at most ${bytes} bytes kept and ${micros} µs ` +
      `for an event, the last tenth at most ${ratio} times the first`,
  ]
}

const mega = (bytes: number) => (bytes / 1e6).toFixed(1)
