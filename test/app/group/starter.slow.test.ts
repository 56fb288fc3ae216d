import { expect, test } from 'bun:test'
import { until } from '../../e2e/until.ts'
import { lives } from '../../support/processes.ts'
import { startGroup } from './running-group.ts'

// The real starter, with stand-ins for the keeper and the workers; see stand-in.ts.

test('all workers answer on one port, and no process that they start takes their role', async () => {
  await using group = await startGroup({ workers: 3 })
  const { living } = await group.ready()
  const answers = await Promise.all(Array.from({ length: 60 }, () => group.ask()))
  expect(new Set(answers.map(({ index }) => index))).toEqual(new Set([0, 1, 2]))
  expect(new Set(answers.map(({ pid }) => pid))).toEqual(new Set(living.map(({ pid }) => pid)))
  expect(new Set(answers.map(({ inherited }) => inherited))).toEqual(new Set([null]))
})

test('a worker that is killed is replaced; connections that wait for it are answered', async () => {
  await using group = await startGroup({ workers: 2 })
  const { living } = await group.ready()
  for (const { pid } of living) process.kill(pid, 'SIGKILL')
  // Made while nobody serves: all wait in the sockets that the starter keeps open.
  const answers = await Promise.all(Array.from({ length: 40 }, () => group.ask()))
  expect(answers.every(({ start }) => start === 1)).toBe(true)
  const later = await group.ready()
  expect(later.living.map(({ index }) => index)).toEqual([0, 1])
  expect(later.start).toBe(0)
})

test('a worker that fails again and again is started with pauses; the others serve on', async () => {
  await using group = await startGroup({ workers: 1 })
  await group.ready()
  const began = performance.now()
  for (let i = 0; i < 3; i++) await group.ask('/fail').catch(() => {})
  expect((await group.ask()).start).toBe(3)
  // None, 100 ms, 200 ms.
  expect(performance.now() - began).toBeGreaterThan(300)
})

test('a keeper that is killed is replaced and hears which workers live; they stay', async () => {
  await using group = await startGroup()
  const before = await group.ready()
  process.kill(before.pid, 'SIGKILL')
  const after = await group.ready(({ start }) => start === 1)
  expect(after.living).toEqual(before.living)
})

test('a keeper that can not start ends the group with its error and exit code', async () => {
  const group = await startGroup({ env: { KEEPER_FAILS: '7' } })
  const { exitCode, stderr } = await group.end(null)
  expect(exitCode).toBe(7)
  expect(stderr).toBe('this keeper can not start\n')
})

test('a second group on the port is refused, and the first one serves on', async () => {
  await using group = await startGroup()
  await group.ready()
  const second = await startGroup({ port: group.port })
  const { exitCode, stderr } = await second.end(null)
  expect(exitCode).toBe(1)
  expect(stderr).toBe(
    `tollgate: Port ${group.port} on 127.0.0.1 is in use. Stop what uses it, or give another address (server.listen).\n`,
  )
  expect((await group.ask()).start).toBe(0)
})

test('a frozen worker is killed on the word of the keeper, an earlier one of its number is no target', async () => {
  await using group = await startGroup()
  const { living } = await group.ready()
  const [first, second] = living
  if (first === undefined || second === undefined) throw new Error('There are two.')
  process.kill(first.pid, 'SIGSTOP')
  await group.keeper(`?kill=${first.pid}`)
  const isNew = (pids: readonly number[]) => !pids.includes(first.pid)
  const after = await group.ready((says) => isNew(says.living.map(({ pid }) => pid)))
  expect(lives(first.pid)).toBe(false)
  await group.keeper(`?kill=${first.pid}`)
  await group.keeper(`?kill=${after.pid}`)
  expect((await group.ready()).living).toEqual(after.living)
})

test('a stop lets workers end what is under way, then the keeper; a second signal hurries', async () => {
  const group = await startGroup()
  const { living } = await group.ready()
  const waiting = await fetch(`${group.url}/wait`, { proxy: false })
  group.starter.kill('SIGTERM')
  await until('the other worker has drained', async () => {
    const says = await group.keeper()
    return says?.living.length === 1 && says.heard.includes('stop')
  })
  group.starter.kill('SIGINT')
  expect(await waiting.text()).toBe('begun ended')
  const { exitCode, stdout } = await group.end(null)
  expect(exitCode).toBe(0)
  expect(stdout.trim().split('\n').at(-1)).toBe('keeper: finished')
  expect(living.some(({ pid }) => lives(pid))).toBe(false)
})

test('a third signal ends all at once', async () => {
  const group = await startGroup()
  const { living } = await group.ready()
  for (const { pid } of living) process.kill(pid, 'SIGSTOP')
  for (const heard of ['stop', 'hurry']) {
    group.starter.kill('SIGTERM')
    await until(heard, async () => (await group.keeper())?.heard.includes(heard))
  }
  group.starter.kill('SIGINT')
  const { exitCode, stderr } = await group.end(null)
  expect(exitCode).toBe(130)
  expect(stderr).toContain('ended by another SIGINT')
  await until('all have ended', () => !living.some(({ pid }) => lives(pid)))
})

test('what does not end in time is named and killed', async () => {
  const group = await startGroup({ stopMs: 200 })
  const { living } = await group.ready()
  const [frozen] = living
  if (frozen === undefined) throw new Error('There are two.')
  process.kill(frozen.pid, 'SIGSTOP')
  const { exitCode, stderr } = await group.end()
  expect(exitCode).toBe(1)
  expect(stderr).toContain('worker 0')
})

test('a worker that is asked to end alone drains and is replaced at once', async () => {
  await using group = await startGroup({ workers: 1 })
  const { living } = await group.ready()
  process.kill(living[0]?.pid ?? 0, 'SIGTERM')
  const answers: number[] = []
  await until(
    'another one',
    async () => answers.push((await group.ask()).index) && answers.at(-1) === 1,
  )
  await until('the first one to have ended', () => !lives(living[0]?.pid ?? 0))
  process.kill((await group.ask()).pid, 'SIGTERM')
  // The starter may not have heard yet that the first number is free.
  await until('the next one', async () => (await group.ask()).index !== 1)
})

test('SIGHUP reaches the keeper; signals of a terminal to all processes end nobody', async () => {
  await using group = await startGroup()
  const { living, pid } = await group.ready()
  for (const signal of ['SIGINT', 'SIGHUP'] as const)
    for (const child of [pid, ...living.map((one) => one.pid)]) process.kill(child, signal)
  group.starter.kill('SIGHUP')
  await until('the keeper hears of it', async () => (await group.keeper())?.heard.length)
  const says = await group.ready()
  expect(says).toEqual({ pid, start: 0, living, heard: ['reload'] })
})

test('the others end by themselves when the starter is killed', async () => {
  const group = await startGroup()
  const { living, pid } = await group.ready()
  const { stdout } = await group.end('SIGKILL')
  expect(stdout).toContain('worker 1: drained')
  await until('all have ended', () => ![pid, ...living.map((one) => one.pid)].some(lives))
})
