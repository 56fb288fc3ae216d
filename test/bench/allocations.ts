import { parseArgs } from 'node:util'
import { createTempDir } from '../support/temp-dir.ts'
import { testKey } from '../support/tollgate-yaml.ts'
import { wayOfOneRequest } from './allocations/way.ts'
import { chatPath, requests } from './suite/requests.ts'

/**
 * bun run bench:allocations [--requests N] [--files]: how many closures, promises and other objects one small request
 * makes in this gateway and in a bare proxy, and which files and lines it passes. Garbage collection and the
 * optimizing compilers are off while objects are counted, so the figures are the same in every run.
 */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '500' },
    files: { type: 'boolean', default: false },
  },
})
const count = Number(values.requests)
const bun = process.execPath
const here = import.meta.dir

/** Names of JavaScriptCore's kinds of objects. */
const shown = ['Function', 'Promise', 'JSLexicalEnvironment', 'Object', 'Array', 'AsyncFunction']

async function firstLine(stdout: ReadableStream<Uint8Array>): Promise<string> {
  const { value } = await stdout.getReader().read()
  return new TextDecoder().decode(value).trim()
}

async function load(url: string, times: number): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${testKey}` }
  for (let at = 0; at < times; at++) {
    const answer = await fetch(url + chatPath, { method: 'POST', headers, body: requests.small })
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
    await answer.arrayBuffer()
  }
}

/** Objects that a request makes, by kind. */
async function countOf(command: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const waiting: ((counts: Record<string, number>) => void)[] = []
  const child = Bun.spawn([bun, '--preload', `${here}/allocations/counter.ts`, ...command], {
    env: { ...process.env, BUN_JSC_useGC: '0', BUN_JSC_useDFGJIT: '0' },
    stdout: 'pipe',
    stderr: 'inherit',
    ipc: (counts) => waiting.shift()?.(counts),
  })
  const counts = () => {
    const { promise, resolve } = Promise.withResolvers<Record<string, number>>()
    waiting.push(resolve)
    child.send('count')
    return promise
  }
  try {
    const url = await firstLine(child.stdout)
    await load(url, 100)
    const before = await counts()
    await load(url, count)
    const after = await counts()
    const kinds = Object.entries(after)
    return new Map(kinds.map(([kind, made]) => [kind, (made - (before[kind] ?? 0)) / count]))
  } finally {
    child.kill()
    await child.exited
  }
}

const upstream = Bun.spawn([bun, `${here}/constant-upstream.ts`], { stdout: 'pipe' })
try {
  const upstreamUrl = await firstLine(upstream.stdout)
  using folder = createTempDir('tollgate-bench')
  const database = folder.join('gateway.db')
  const tollgate = await countOf([`${here}/gateway.ts`, 'settled', upstreamUrl, database])
  const bare = await countOf([`${here}/bare-proxy.ts`, '0', upstreamUrl])
  const kinds = [...shown, ...[...tollgate.keys()].filter((kind) => !shown.includes(kind))]
  console.log(`${'objects per request'.padEnd(28)}${'tollgate'.padStart(10)}${'bare'.padStart(10)}`)
  for (const kind of kinds) {
    const figures = [tollgate, bare].map((made) => made.get(kind) ?? 0)
    if (figures.every((figure) => figure < 2)) continue
    const cells = figures.map((figure) => figure.toFixed(1).padStart(10))
    console.log(kind.padEnd(28) + cells.join(''))
  }
} finally {
  upstream.kill()
  await upstream.exited
}

const { files, lines } = await wayOfOneRequest()
console.log(`\n${files.length} files are on the way of a request, which executes ${lines} lines.`)
if (values.files) console.log(files.join('\n'))
