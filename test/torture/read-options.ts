import { parseArgs } from 'node:util'

/**
 * How long a kill test goes on, from the command line: so many kills, or without end when only seconds
 * are given. Shows `usage` and ends the process for --help and for what can't be read.
 */
export function readOptions(usage: string, usualKills: number) {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string' },
      seconds: { type: 'string' },
      seed: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })

  /** A whole number above 0; undefined when it was not given. */
  function count(name: 'kills' | 'seconds' | 'seed'): number | undefined {
    const text = values[name]
    if (text === undefined) return undefined
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
    console.error(
      `--${name} is ${JSON.stringify(text)}, but it is a whole number above 0.\n${usage}`,
    )
    process.exit(2)
  }

  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  const seconds = count('seconds')
  const kills = count('kills') ?? (seconds === undefined ? usualKills : Number.POSITIVE_INFINITY)
  return { seconds, kills, seed: count('seed') ?? 1 + (Date.now() % 1_000_000) }
}
