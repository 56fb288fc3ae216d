import { expect, test } from 'bun:test'
import type { Permit } from '../../../src/gateway/limits/limiter.ts'
import { subject } from './limit-scene.ts'
import { ask, createStocksScene, leaseMs, turn, type Worker } from './stocks-scene.ts'

const wide = { rpm: 60_000, tpm: 6_000_000, concurrency: 4_000 }
const all = ['token', 'account', 'group'] as const
const subjects = all.map((kind) => subject(kind, wide))

type Scene = ReturnType<typeof createStocksScene>

/** A request every few milliseconds, each of which takes as long. */
async function load(scene: Scene, worker: Worker, asked = subjects, times = 100) {
  const open: Permit[] = []
  let here = 0
  for (let at = 0; at < times; at++) {
    const entering = worker.limiter.acquire(asked, 100, atOnce)
    if (!(entering instanceof Promise)) here++
    open.push(await entering)
    if (open.length > 10) end(open.shift())
    await scene.pass(5, 5)
  }
  for (const permit of open) end(permit)
  await turn()
  return here
}

const atOnce = { waitMs: 0, signal: new AbortController().signal }

function end(permit: Permit | undefined): void {
  permit?.used(90)
  permit?.release()
}

/** How many are let in until a worker refuses one. */
async function countRest(workers: readonly Worker[], asked = subjects): Promise<number> {
  let count = 0
  for (const worker of workers) while (await ask(worker, asked, 0)) count++
  return count
}

test('a steady load asks the keeper a few times a second, not once for each request', async () => {
  const scene = createStocksScene(2)
  const worker = scene.workerAt(0)
  await load(scene, worker)
  const before = { ...worker.sent }
  const here = await load(scene, worker, subjects, 400)
  expect(here).toBe(400)
  expect(worker.sent.admits).toBe(before.admits)
  // Two seconds of three names.
  expect(worker.sent.lends - before.lends).toBeLessThan(20)
  expect(worker.sent.reports - before.reports).toBeLessThan(12)
})

test('a few requests a second need no round trip either; one now and then asks', async () => {
  const scene = createStocksScene(2)
  const worker = scene.workerAt(0)
  for (const [everyMs, most] of [
    [300, 4],
    [1_500, 40],
  ] as const) {
    const before = { ...worker.sent }
    for (let at = 0; at < 40; at++) {
      end(await ask(worker, subjects, 100))
      await scene.pass(everyMs, 50)
    }
    expect(worker.sent.admits - before.admits).toBeWithin(most - 3, most + 1)
    if (everyMs > 1_000) expect(worker.sent.lends - before.lends).toBeLessThan(5)
  }
})

test('channels are entered without a round trip, too', async () => {
  const scene = createStocksScene(2)
  const { limiter } = scene.workerAt(0)
  const channel = subject('channel', { concurrency: 1_000 })
  let here = 0
  for (let at = 0; at < 50; at++) {
    const entering = limiter.tryAcquire(channel, 10)
    if (!(entering instanceof Promise)) here++
    const permit = await entering
    if ('release' in permit) end(permit)
    await scene.pass(5, 5)
  }
  expect(here).toBeGreaterThan(40)
})

test('small limits are counted one by one', async () => {
  const scene = createStocksScene(2)
  const worker = scene.workerAt(0)
  for (const limits of [{ rpm: 50 }, { concurrency: 20 }]) {
    const asked = [subject('token', limits), subject('account', wide)]
    expect(await load(scene, worker, asked, 40)).toBe(0)
  }
  expect(worker.sent.lends).toBe(0)
})

test('what others hold is refused to nobody: all of a limit passes, and not one more', async () => {
  for (const limits of [{ rpm: 1_000 }, { tpm: 1_000 }]) {
    const scene = createStocksScene(3)
    const asked = [subject('token', limits)]
    let passed = 0
    for (let round = 0; round < 400; round++) {
      for (const worker of scene.workers) if (await ask(worker, asked, 1)) passed++
      if (round < 100) await scene.pass(5, 5)
    }
    expect(passed).toBe(1_000)
    expect(scene.workerAt(1).sent.admits).toBeLessThan(800)
  }
})

test('as many are at once as allowed, whoever holds the places', async () => {
  const scene = createStocksScene(3)
  const asked = [subject('token', { concurrency: 200 })]
  const open: (readonly [number, Permit])[] = []
  for (let at = 0; at < 150; at++) {
    const permit = await ask(scene.workerAt(at), asked)
    if (permit) open.push([at, permit])
    await scene.pass(2, 2)
  }
  expect(open).toHaveLength(150)
  for (const [, permit] of open.splice(0, 60)) permit.release()
  await turn()
  expect(await countRest(scene.workers, asked)).toBe(110)
  // While places are short, each that becomes free is another's at once.
  for (const [at, permit] of open.splice(0, 30)) {
    permit.release()
    await turn()
    expect(await ask(scene.workerAt(at + 1), asked)).toBeDefined()
    expect(await ask(scene.workerAt(at), asked)).toBeUndefined()
  }
})

test('what is not used is returned after a second', async () => {
  const scene = createStocksScene(2)
  await load(scene, scene.workerAt(0))
  const name = 'token:1'
  const admit = (rpm: number) =>
    scene.keeper.admit({
      ...{ llmTokens: 0, slot: '' },
      counted: [{ name, limits: { rpm, tpm: null, concurrency: null } }],
    })
  await scene.pass(1_500)
  // A hundred have passed, and nothing is lent.
  scene.workerAt(0).kill()
  expect(await admit(100)).toMatchObject({ ok: false })
  expect(await admit(101)).toMatchObject({ ok: true })
})

test('what was taken counts from when it was taken, not from when it was lent or reported', async () => {
  const scene = createStocksScene(2)
  const worker = scene.workerAt(0)
  const asked = [subject('token', { rpm: 600 })]
  await load(scene, worker, asked, 40)
  const lastTick = scene.tick()
  expect(await countRest([worker], asked)).toBe(560)
  await scene.pass(60_500 - (scene.tick() - lastTick) - 300, 50)
  expect(await countRest([worker], asked)).toBeLessThan(60)
  await scene.pass(500)
  expect(await countRest([worker], asked)).toBeGreaterThan(540)
})

test('LLM tokens that were estimated and not used are free again', async () => {
  const scene = createStocksScene(2)
  const worker = scene.workerAt(0)
  const asked = [subject('token', { tpm: 100_000 })]
  for (let at = 0; at < 200; at++) {
    const permit = await ask(worker, asked, 1_000)
    expect(permit).toBeDefined()
    await scene.pass(20, 20)
    permit?.used(100)
    permit?.release()
  }
  const rest = await ask(scene.workerAt(1), asked, 80_000)
  expect(rest).toBeDefined()
  expect(await ask(scene.workerAt(1), asked, 100)).toBeUndefined()
})

test('what a dead worker held counts as taken; its slots return with its lease', async () => {
  const scene = createStocksScene(2)
  const [dead, living] = [scene.workerAt(0), scene.workerAt(1)]
  const asked = [subject('token', { rpm: 1_000, concurrency: 400 })]
  const open: Permit[] = []
  for (let at = 0; at < 100; at++) {
    const permit = await ask(dead, asked)
    if (permit) open.push(permit)
    await scene.pass(5, 5)
  }
  expect(open).toHaveLength(100)
  dead.kill()
  const early = await countRest([living], asked)
  expect(early).toBeWithin(270, 301)
  await scene.pass(leaseMs + 6_000, 100)
  const later = await countRest([living], asked)
  // All slots but those of the living one are free.
  expect(early + later).toBe(400)
})

test('what it took and had not reported counts, too', async () => {
  const scene = createStocksScene(2)
  const [dead, living] = [scene.workerAt(0), scene.workerAt(1)]
  const asked = [subject('token', { rpm: 1_000 })]
  await load(scene, dead, asked)
  let unreported = 0
  while (!(dead.limiter.acquire(asked, 0, atOnce) instanceof Promise)) unreported++
  expect(unreported).toBeWithin(5, 60)
  dead.kill()
  await scene.pass(leaseMs + 6_000, 100)
  expect(await countRest([living], asked)).toBeWithin(840, 901 - unreported)
})

test('a worker that was frozen takes nothing of what it held before', async () => {
  const scene = createStocksScene(2)
  const worker = scene.workerAt(0)
  const asked = [subject('token', { rpm: 1_000 })]
  await load(scene, worker, asked)
  worker.freeze()
  await scene.pass(leaseMs + 6_000, 100)
  worker.thaw()
  const { admits } = worker.sent
  expect(await ask(worker, asked)).toBeDefined()
  expect(worker.sent.admits).toBe(admits + 1)
  await scene.pass(1_000)
  expect(await load(scene, worker, asked)).toBeGreaterThan(80)
  expect(await countRest(scene.workers, asked)).toBeWithin(720, 800)
})

test('a keeper that starts anew hears what was let in, and who is at once', async () => {
  const scene = createStocksScene(2)
  const worker = scene.workerAt(0)
  const asked = [subject('token', { rpm: 1_000, concurrency: 400 })]
  const open: Permit[] = []
  for (let at = 0; at < 100; at++) {
    const permit = await ask(worker, asked)
    if (permit) open.push(permit)
    await scene.pass(5, 5)
  }
  for (const each of scene.workers) each.disconnect()
  const next = scene.openKeeper()
  for (const each of scene.workers) each.connect(next, true)
  await turn()
  expect(await countRest(scene.workers, asked)).toBe(300)
  for (const permit of open) permit.release()
  await turn()
  expect(await countRest(scene.workers, asked)).toBe(100)
  await scene.pass(1_000)
  const wider = [subject('token', { rpm: 1_000 })]
  expect(await countRest(scene.workers, wider)).toBe(500)
})

test('what was to be taken back of one worker is not taken from another by a new keeper', async () => {
  const scene = createStocksScene(2)
  const [one, other] = [scene.workerAt(0), scene.workerAt(1)]
  const asked = [subject('token', { tpm: 500_000, concurrency: 4_000 })]
  await load(scene, one, asked, 50)
  await scene.pass(70_000, 1_000)
  await load(scene, one, asked, 50)
  await scene.pass(150)
  const permit = one.limiter.acquire(asked, 1_000, atOnce)
  if (permit instanceof Promise) throw new Error('It asked.')
  await ask(other, asked, 1_000)
  await scene.pass(600)
  permit.used(0) // told later
  for (const each of scene.workers) each.disconnect()
  const next = scene.openKeeper()
  for (const each of [other, one]) each.connect(next, true)
  await turn()
  const used = 50 * 90 + 1_000
  expect(await ask(other, asked, 500_000 - used + 1)).toBeUndefined()
  expect(await ask(other, asked, 500_000 - used)).toBeDefined()
})

test('a connection that is lost and made again loses nothing, and counts nothing twice', async () => {
  const scene = createStocksScene(2)
  const worker = scene.workerAt(0)
  const asked = [subject('token', { rpm: 1_000 })]
  let lost = 0
  scene.fate.of = () => (['arrives', 'unheard', 'lost'] as const)[lost++ % 3] ?? 'arrives'
  let passed = 0
  for (let at = 0; at < 200; at++) {
    if (await ask(worker, asked)) passed++
    await scene.pass(10)
  }
  expect(passed).toBe(200)
  scene.fate.of = () => 'arrives'
  worker.disconnect()
  worker.connect(scene.keeper, false)
  await scene.pass(500)
  expect(await countRest(scene.workers, asked)).toBe(800)
})

test('what was lent under other limits is returned', async () => {
  const scene = createStocksScene(2)
  const worker = scene.workerAt(0)
  await load(scene, worker, [subject('token', { rpm: 60_000 })])
  const narrow = [subject('token', { rpm: 200 })]
  expect(await countRest(scene.workers, narrow)).toBe(100)
})

test('who waits in line goes before', async () => {
  const scene = createStocksScene(2)
  const worker = scene.workerAt(0)
  const asked = [subject('token', { concurrency: 100 })]
  const open: Permit[] = []
  for (;;) {
    const permit = await ask(worker, asked)
    if (permit === undefined) break
    open.push(permit)
    await scene.pass(2, 2)
  }
  expect(open).toHaveLength(100)
  const entered: number[] = []
  const { signal } = new AbortController()
  const waiting = [0, 1, 2].map(async (at) => {
    const permit = await worker.limiter.acquire(asked, 0, { waitMs: 60_000, signal })
    entered.push(at)
    return permit
  })
  await turn()
  open.pop()?.release()
  const late = await ask(worker, asked)
  expect(late).toBeUndefined()
  for (const permit of open.splice(0, 2)) permit.release()
  await Promise.all(waiting)
  expect(entered).toEqual([0, 1, 2])
})
