import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { checkSignature } from './mach-o/check.ts'
import { signAdHoc } from './mach-o/sign.ts'
import { programName, type Target, targets } from './release.ts'
import { root, run } from './run.ts'
import type { Source } from './source.ts'

/** Builds the program of each target, anew. */
export async function buildPrograms(
  source: Source,
  say: (line: string) => void,
): Promise<ReadonlyMap<Target, string>> {
  const programs = new Map<Target, string>()
  for (const target of targets) {
    say(`Building ${target} …`)
    programs.set(target, await buildProgram(target, source))
  }
  return programs
}

async function buildProgram(target: Target, source: Source): Promise<string> {
  const folder = join(root, '.cache/release', target)
  await mkdir(folder, { recursive: true })
  const file = join(folder, programName(target))
  const command = ['./compile.sh', '--target', `bun-${target}`]
  await run(command, { env: { RELEASE_FACTS: factsOf(target, source) } })
  const suffix = programName(target).slice('tollgate'.length)
  await rename(join(root, `dist/tollgate-bun-${target}${suffix}`), file)
  if (target.startsWith('darwin-')) await signProgram(file)
  return file
}

/** Bun leaves the signature of its own file in that for Intel, and signs the other one as `a.out`. */
async function signProgram(file: string): Promise<void> {
  const signed = signAdHoc(await Bun.file(file).bytes(), 'tollgate')
  checkSignature(signed)
  await Bun.write(file, signed)
}

/** What src/lib/build-info.ts declares, each without its `TOLLGATE_`. */
function factsOf(target: Target, { version, commit, time, key }: Source): string {
  const facts = {
    ...{ VERSION: version, COMMIT: commit, TARGET: target },
    // Bun takes a colon for the end of the name.
    BUILT_AT: new Date(time * 1000).toISOString().replaceAll(':', '\\u003a'),
    ...(key !== undefined && { RELEASE_KEY: key }),
  }
  return Object.entries(facts)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}
