import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { environmentOf, requireBinary, runBinary } from '../support/binary.ts'
import { createTempDir, type TempDir } from '../support/temp-dir.ts'
import { feedPaths, type PricedGateway, readFeed, startPricedGateway } from './priced-gateway.ts'
import { until } from './until.ts'

let gateway: PricedGateway
let folder: TempDir

beforeAll(async () => {
  folder = createTempDir()
  gateway = await startPricedGateway('http://127.0.0.1:9')
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  folder.remove()
})

const main = () => folder.join('out', feedPaths[0])
const run = (...args: string[]) =>
  runBinary(['feed', 'export', folder.join('out'), '--config', gateway.file, ...args])
const dataOf = (text: string) => ({ ...JSON.parse(text).data, updated_at: null })

test('writes what the gateway serves, under both addresses, plain and compressed', async () => {
  const { stdout, exitCode } = await run()
  expect(exitCode).toBe(0)
  const files = feedPaths.flatMap((path) => {
    const file = folder.join('out', path)
    return [`${file}.gz`, file]
  })
  expect(stdout).toBe(files.map((file) => `wrote ${file}\n`).join(''))
  const text = readFileSync(main(), 'utf8')
  expect(dataOf(text)).toEqual(dataOf(await readFeed(gateway.tollgate.url)))
  for (const file of files) {
    const bytes = readFileSync(file)
    expect((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()).toBe(text)
  }
})

test('without a change nothing is touched: dates and updated_at stay', async () => {
  const before = [readFileSync(main(), 'utf8'), statSync(main()).mtimeMs]
  const { stdout } = await run()
  expect(stdout).toBe(`The feed in ${folder.join('out')} is up to date.\n`)
  expect([readFileSync(main(), 'utf8'), statSync(main()).mtimeMs]).toEqual(before)
  expect(JSON.parse((await run('--json')).stdout)).toEqual({ written: [] })
})

test('--watch follows every change; readers never see a part; SIGTERM ends it with 0', async () => {
  const args = ['feed', 'export', folder.join('out'), '--config', gateway.file, '--watch']
  const env = await environmentOf(args)
  const watcher = Bun.spawn([requireBinary(), ...args], { env, stdout: 'pipe', stderr: 'pipe' })
  let reading = true
  let reads = 0
  const reader = (async () => {
    while (reading) {
      JSON.parse(readFileSync(main(), 'utf8'))
      reads++
      await Bun.sleep(1)
    }
  })()
  try {
    for (const price of [5, 10, 15]) {
      await gateway.setPrice(price)
      await until(`price ${price}`, () =>
        readFileSync(main(), 'utf8').includes(`"input_price":${(price * 4) / 5},`),
      )
    }
  } finally {
    reading = false
    await reader
    watcher.kill('SIGTERM')
  }
  expect(await watcher.exited).toBe(0)
  expect(reads).toBeGreaterThan(10)
  expect((await watcher.stdout.text()).match(/^wrote .*\.json$/gm)?.length).toBe(3)
  expect(readdirSync(folder.join('out/pricing')).sort()).toEqual([
    'provider-pricing.json',
    'provider-pricing.json.gz',
  ])
})

test('a folder that can not be written is told', async () => {
  const { stderr, exitCode } = await runBinary([
    'feed',
    'export',
    '/dev/null/feed',
    '--config',
    gateway.file,
  ])
  expect(exitCode).toBe(1)
  expect(stderr).toContain("The feed in /dev/null/feed can't be read or written")
})
