import type { CoolingBoard } from '../ports/counters.ts'
import type { CoolingId, CoolingRow } from '../ports/health.ts'
import type { Link } from './link.ts'
import { readCoolingScript, writeCoolingScript } from './scripts.ts'

/** Rows outlive their last change so long, in milliseconds: as long as upstreams are believed, and more. */
const keptMs = 7_200_000

/** Where the board hangs. */
interface Place {
  readonly prefix: string
  /** Holds the name of the server's memory. */
  readonly memoryKey: string
  /** That name as this node knows it. */
  readonly memory: () => string
}

/** What cools: a hash of rows, and a count of its changes, so that looking again costs next to nothing. */
export function coolingBoard(
  { run }: Pick<Link, 'run'>,
  { prefix, memoryKey, memory }: Place,
): CoolingBoard {
  const keys = [`${prefix}:cooling`, `${prefix}:cooling-version`]
  return {
    async write(changed, ended) {
      const rows = changed.flatMap((row) => [idOf(row), JSON.stringify(row)])
      const over = ended.flatMap((row) => [idOf(row), String(row.since)])
      const values = [String(keptMs), String(changed.length), ...rows, ...over]
      await run(writeCoolingScript, keys, values)
    },
    async read(version) {
      const found = await run(readCoolingScript, [...keys, memoryKey], [version, memory()])
      const [newest, rows = []] = found as readonly [string?, (readonly string[])?]
      if (newest === undefined) return undefined
      return { version: newest, rows: rows.map((row) => JSON.parse(row) as CoolingRow) }
    },
  }
}

const idOf = ({ channelId, key, model }: CoolingId) => `${channelId} ${key} ${model}`
