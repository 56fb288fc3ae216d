import { UsageError } from './errors.ts'
import { tell } from './terminal.ts'

/** Keys of an upstream, from a variable or stdin: other users could read a command line. */
export async function readUpstreamKeys(variable: string | undefined): Promise<readonly string[]> {
  if (variable !== undefined) return [variableOf('--key-env', variable)]
  if (process.stdin.isTTY) tell('API key of the upstream (ends with Ctrl-D): ')
  const lines = (await Bun.stdin.text()).split('\n').map((line) => line.trim())
  const keys = lines.filter((line) => line !== '')
  if (keys.length > 0) return keys
  throw new UsageError('No key on stdin: pipe it in, or name its variable with --key-env.')
}

/** A proxy address, which may hold a password, from a variable for the same reason. */
export const readProxy = (variable: string | undefined): string | undefined =>
  variable === undefined ? undefined : variableOf('--proxy-env', variable)

function variableOf(option: string, variable: string): string {
  const value = process.env[variable]
  if (value) return value
  throw new UsageError(`${option}: the environment variable ${variable} is not set.`)
}
