import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { interruptible } from '../../src/cli/lifecycle.ts'

const module = join(import.meta.dir, '../../src/cli/lifecycle.ts')

test('gives the result, and leaves signals as they were', async () => {
  const before = process.listenerCount('SIGINT')
  expect(await interruptible(async () => 7)).toBe(7)
  await expect(interruptible(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(process.listenerCount('SIGINT')).toBe(before)
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s cleans up and ends at once, whatever is under way',
  async (signal, code) => {
    const script = `
    import { interruptible } from ${JSON.stringify(module)}
    await interruptible((signal) => {
      signal.addEventListener('abort', () => console.log('cleaned up'))
      console.log('working')
      return new Promise(() => setInterval(() => {}, 1000))
    })`
    const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'pipe' })
    const reader = child.stdout.getReader()
    const decoder = new TextDecoder()
    let out = decoder.decode((await reader.read()).value)
    child.kill(signal)
    for (let read = await reader.read(); !read.done; read = await reader.read())
      out += decoder.decode(read.value)
    expect(await child.exited).toBe(code)
    expect(out).toBe('working\ncleaned up\n')
    expect(await child.stderr.text()).toBe(
      `tollgate: interrupted (${signal}): nothing was left behind\n`,
    )
  },
  // Without the end at once it would take for ever; a busy machine may be slow to start it.
  120_000,
)
