import { expect, test } from 'bun:test'
import { settling } from '../../src/app/stopping.ts'
import { readUntil } from './cli.ts'

/** A process that never comes to an end by itself, waiting for a step of its stop. */
const startHanging = (step: string | undefined) =>
  Bun.spawn(
    [
      process.execPath,
      '-e',
      `const { seeOut, untilStopped } = await import('${import.meta.dir}/../../src/cli/lifecycle.ts')
       const { createLineSink } = await import('${import.meta.dir}/../../src/lib/line-sink.ts')
       setInterval(() => {}, 1000)
       let calls = 0
       await seeOut(createLineSink(process.stdout), async () => {
         const stopped = untilStopped({
           stop: () => (console.log('stop', ++calls), new Promise(() => {})),
           waitsFor: () => (${JSON.stringify(step)}),
         })
         console.log('up')
         return await stopped
       })`,
    ],
    { stdout: 'pipe', stderr: 'pipe' },
  )

test.each([
  ['while streams have their grace, the third signal ends it', undefined, 3, ''],
  ['while it settles, too', settling, 3, ', while it waited for settlements'],
  ['behind that, the second', 'the database', 2, ', while it waited for the database'],
])('%s', async (_, step, signals, waited) => {
  const child = startHanging(step)
  await readUntil(child.stdout, (text) => text.includes('up'))
  for (let sent = 1; sent < signals; sent++) {
    child.kill('SIGTERM')
    await readUntil(child.stdout, (text) => text.includes(`stop ${sent}`))
  }
  child.kill('SIGTERM')
  expect(await child.exited).toBe(143)
  expect(await child.stderr.text()).toBe(`tollgate: ended by another SIGTERM${waited}\n`)
})

test('what could not be ended is told, with 1, and does not keep the process', async () => {
  const child = Bun.spawn(
    [
      process.execPath,
      '-e',
      `const { seeOut } = await import('${import.meta.dir}/../../src/cli/lifecycle.ts')
       setInterval(() => {}, 1000)
       await seeOut({ write() {}, flush: async () => true }, async () => ['the database'])`,
    ],
    { stdout: 'pipe', stderr: 'pipe' },
  )
  expect(await child.exited).toBe(1)
  expect(await child.stderr.text()).toBe(
    'tollgate: stopped, but this could not be done, or not in time: the database\n',
  )
})
