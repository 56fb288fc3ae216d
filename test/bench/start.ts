import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { binaryPath, requireBinary } from '../support/binary.ts'
import { freePort } from '../support/free-port.ts'
import { familyOf, killFamily } from '../support/processes.ts'
import { createTempDir } from '../support/temp-dir.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { pairwise, spreadOf } from './suite/numbers.ts'

/** From exec to the first answer, beside the least that the runtime can do; and commands to their end. */
const usage = `Usage: bun test/bench/start.ts [PROGRAM…] [--rounds N]

PROGRAM  compiled programs to compare; default: dist/tollgate`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '15' }, help: { type: 'boolean' } },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}
if (positionals.length === 0) requireBinary()
const programs = positionals.length === 0 ? [binaryPath] : positionals.map((path) => resolve(path))
const rounds = Number(values.rounds)
using folder = createTempDir('tollgate-start')

/** The flags of compile.sh. */
const flags = ['--compile', '--minify-syntax', '--minify-whitespace', '--bytecode', '--format=esm']

async function compile(name: string): Promise<string> {
  const outfile = folder.join(name)
  const source = `${import.meta.dir}/start/${name}.ts`
  const words = [process.execPath, 'build', ...flags, '--splitting', '--sourcemap', source]
  const child = Bun.spawn([...words, '--outfile', outfile], { stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`${name} could not be built`)
  return outfile
}

interface Subject {
  readonly name: string
  readonly cwd: string
  readonly command: (port: number) => readonly string[]
  /** Absent: it is measured to its end. */
  readonly ask?: (url: string) => Promise<Response>
  readonly ms: number[]
  readonly cpuMs: number[]
}

const subjects: Subject[] = []
const add = (subject: Omit<Subject, 'ms' | 'cpuMs'>) => {
  mkdirSync(subject.cwd, { recursive: true })
  subjects.push({ ...subject, ms: [], cpuMs: [] })
}

using upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () =>
    Response.json({
      ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'test-model' },
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
    }),
})

const askLive = (url: string) => fetch(`${url}/livez`, { proxy: false })
const askModel = (url: string) =>
  fetch(`${url}/v1/chat/completions`, {
    ...{ method: 'POST', proxy: false },
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}` },
    body: '{"model":"test-model","messages":[{"role":"user","content":"Hello"}]}',
  })

const [empty, small] = [await compile('empty'), await compile('small')]
add({ name: 'empty server', cwd: folder.path, command: (port) => [empty, `${port}`], ask: askLive })
add({
  ...{ name: 'Elysia and SQLite', cwd: folder.path, ask: askLive },
  command: (port) => [small, `${port}`, folder.join('small.db')],
})
for (const [at, program] of programs.entries()) {
  const mark = programs.length === 1 ? '' : ` ${at + 1} (${basename(program)})`
  const serving = (workers: number) => (port: number) => {
    const config = tollgateYaml({
      ...{ listen: `127.0.0.1:${port}`, upstream: upstream.url.origin },
      ...{ store: './tollgate.db', server: { workers } },
    })
    writeFileSync(folder.join(`${at}-${workers}`, 'tollgate.yaml'), config, { mode: 0o600 })
    return [program, 'serve', '--log', 'json']
  }
  const single = { cwd: folder.join(`${at}-1`), command: serving(1) }
  const workers = { cwd: folder.join(`${at}-2`), command: serving(2) }
  add({ name: `one process${mark}`, ...single, ask: askLive })
  add({ name: `one process${mark}, a model's answer`, ...single, ask: askModel })
  add({ name: `two workers${mark}`, ...workers, ask: askLive })
  add({ name: `two workers${mark}, a model's answer`, ...workers, ask: askModel })
  for (const word of ['version', '--help'])
    add({ name: `${word}${mark}`, cwd: folder.path, command: () => [program, word] })
}

/** Processor time of a process so far, in ms; threads that have ended are not in it. */
function cpuMsOf(pid: number): number {
  let sumMs = 0
  try {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      const text = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8')
      sumMs += Number(text.split(' ')[0]) / 1e6
    }
  } catch {
    // It, or a thread of it, has ended meanwhile.
  }
  return sumMs
}

async function untilAnswer(url: string, ask: (url: string) => Promise<Response>): Promise<void> {
  for (;;) {
    const answer = await ask(url).catch(() => undefined)
    if (answer === undefined)
      await Bun.sleep(1) // nobody listens yet
    else if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
    else return void (await answer.arrayBuffer())
  }
}

async function measure({ cwd, command, ask }: Subject) {
  const port = await freePort()
  const words = command(port)
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }
  const begun = performance.now()
  const child = Bun.spawn([...words], { cwd, env, stdout: 'ignore', stderr: 'ignore' })
  if (ask) await untilAnswer(`http://127.0.0.1:${port}`, ask)
  else await child.exited
  const ms = performance.now() - begun
  const others = ask ? familyOf(child.pid).slice(1) : []
  const cpuOfOthers = others.reduce((sum, pid) => sum + cpuMsOf(pid), 0)
  if (ask) await killFamily(child.pid)
  await child.exited
  // Of the process itself all is in it: threads that have ended, and what it was before an execve.
  const own = Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1000
  return { ms, cpuMs: own + cpuOfOthers }
}

for (let round = 0; round <= rounds; round++) {
  for (const subject of subjects) {
    const { ms, cpuMs } = await measure(subject)
    if (round === 0) continue // it makes the databases
    subject.ms.push(ms)
    subject.cpuMs.push(cpuMs)
  }
}
const [least] = subjects
const columns = ['', 'ms', 'least', '× empty', 'CPU ms', 'least', '× empty']
const line = ([name = '', ...cells]: readonly string[]) =>
  name.padEnd(44) + cells.map((cell) => cell.padStart(9)).join('')
console.log(`${rounds} rounds in turn: medians, least, and the median of each round's ratio`)
console.log(line(columns))
for (const { name, ms, cpuMs } of subjects) {
  const cells = [[ms, least?.ms ?? []] as const, [cpuMs, least?.cpuMs ?? []] as const].flatMap(
    ([ours, theirs]) => {
      const { median = Number.NaN, min = Number.NaN } = spreadOf(ours) ?? {}
      const ratio = spreadOf(pairwise(ours, theirs, (our, their) => our / their))?.median
      return [median.toFixed(1), min.toFixed(1), (ratio ?? Number.NaN).toFixed(2)]
    },
  )
  console.log(line([name, ...cells]))
}
