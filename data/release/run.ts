import { fileURLToPath } from 'node:url'
import { ReleaseError } from './release.ts'

/** The project's folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/** Runs a program in the project's folder and gives what it prints; throws when it fails. */
export async function run(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = Bun.spawn([...command], {
    ...{ cwd: root, env: { ...process.env, ...env } },
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0)
    throw new ReleaseError(`"${command.join(' ')}" failed:\n${out}${err}`.trimEnd())
  return out
}
