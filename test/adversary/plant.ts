import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempDir } from '../support/temp-dir.ts'
import { type Planted, planted } from './planted.ts'

// bun test/adversary/plant.ts [PART OF A NAME]: plants one fault after the other into a copy of the
// program, and looks whether the adversary finds it within 500 runs.

const project = join(import.meta.dir, '../..')
const runs = 500
const parts = [
  'src',
  'data',
  'package.json',
  'bun.lock',
  'tsconfig.json',
  'bunfig.toml',
  'compile.sh',
]

/** The file with the fault in it; throws when its place is not there, or there twice. */
function plantInto(folder: string, { name, file, find, replace }: Planted): void {
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8')
  const count = text.split(find).length - 1
  if (count !== 1) {
    throw new Error(`"${name}": ${file} has its place ${count} times, not once: ${find}`)
  }
  writeFileSync(
    path,
    text.replace(find, () => replace),
  )
}

/** After how many runs a fault was found; undefined: it was not. */
function findFault(fault: Planted, seed: string): number | undefined {
  using folder = createTempDir('tollgate-planted')
  for (const part of parts) {
    cpSync(join(project, part), folder.join(part), { recursive: true })
  }
  symlinkSync(join(project, 'node_modules'), folder.join('node_modules'))
  plantInto(folder.path, fault)
  const built = spawnSync('sh', ['./compile.sh'], { cwd: folder.path, encoding: 'utf8' })
  if (built.status !== 0) throw new Error(`"${fault.name}" does not build: ${built.stderr}`)
  const words = ['--runs', String(runs), '--seed', seed, '--no-shrink']
  const binary = folder.join('dist', 'tollgate')
  const hunt = spawnSync(
    process.execPath,
    [join(import.meta.dir, 'main.ts'), ...words, '--binary', binary],
    { encoding: 'utf8', maxBuffer: 2 ** 28 },
  )
  const run = /^Run (\d+): /m.exec(hunt.stdout)?.[1]
  if (run === undefined) {
    if (hunt.status !== 0) throw new Error(`"${fault.name}": ${hunt.stdout}${hunt.stderr}`)
    return undefined
  }
  console.log(`    ${/^Broken: .*/m.exec(hunt.stdout)?.[0].slice(0, 300)}`)
  return Number(run)
}

const seed = String(1 + (Date.now() % 1_000_000))
const [part = ''] = process.argv.slice(2)
let missed = 0
console.log(`Seed ${seed}`)
for (const fault of planted.filter(({ name }) => name.includes(part))) {
  let run: number | undefined
  try {
    run = findFault(fault, seed)
  } catch (error) {
    console.log(String(error))
  }
  if (run === undefined) missed++
  console.log(`${fault.name}: ${run === undefined ? `not found in ${runs} runs` : `run ${run}`}`)
}
process.exit(missed === 0 ? 0 : 1)
