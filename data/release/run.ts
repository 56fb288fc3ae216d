import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ReleaseError } from './release.ts'

/** The project's folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/** A file of the project. */
export const ownFile = (path: string) => Bun.file(join(root, path))

interface RunOptions {
  /** Beside the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** Where it runs; left out: in the project's folder. */
  readonly cwd?: string
}

/** Runs a program and gives what it prints; throws when it fails. */
export const run = async (command: readonly string[], options?: RunOptions): Promise<string> =>
  new TextDecoder().decode(await runForBytes(command, options))

/** The same, for what is no text. */
export async function runForBytes(
  command: readonly string[],
  { env, cwd = root }: RunOptions = {},
): Promise<Uint8Array> {
  const child = Bun.spawn([...command], {
    ...{ cwd, env: { ...process.env, ...env } },
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  })
  const [out, err] = await Promise.all([child.stdout.bytes(), child.stderr.text()])
  if ((await child.exited) !== 0)
    throw new ReleaseError(
      `"${command.join(' ')}" failed:\n${new TextDecoder().decode(out)}${err}`.trimEnd(),
    )
  return out
}
