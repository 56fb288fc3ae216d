import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { createWorkplace, readUntil } from './cli.ts'

test('each printed curl line works as pasted, and is told with what it cost', async () => {
  await using place = await createWorkplace()
  const child = await place.start(['demo', '--port', '0'])
  const intro = await readUntil(child.stdout, (text) => text.includes('What each request used'))
  const calls = intro.split('\n').filter((line) => line.startsWith('curl '))
  expect(calls).toHaveLength(4)
  const answers = []
  for (const call of calls) {
    const shell = Bun.spawn(['sh', '-c', call], { stdout: 'pipe' })
    answers.push(await shell.stdout.text())
  }
  const [chat, responses, messages, gemini] = answers
  expect(chat).toEndWith('data: [DONE]\n\n')
  expect(chat).toContain('42')
  expect(responses).toContain('event: response.completed\n')
  expect(messages).toContain('event: message_stop\n')
  expect(gemini).toContain('"finishReason":"STOP"')

  const config = /--config (\S+)/.exec(intro)?.[1] ?? ''
  const account = await place.run([
    'account',
    'show',
    'demo@example.com',
    '--config',
    config,
    '--json',
  ])
  const { balance_nano } = JSON.parse(account.out)
  expect(balance_nano).toBeLessThan(10_000_000_000)

  child.kill('SIGINT')
  const rest = await readUntil(child.stdout, (text) => text.includes(' in all.'))
  const lines = rest.trim().split('\n')
  expect(lines.slice(0, 4).map((line) => line.split(':')[0])).toEqual([
    '200 chat completions demo',
    '200 responses demo',
    '200 messages demo',
    '200 gemini generate demo',
  ])
  const left = Number(/, ([\d.]+) USD left$/.exec(lines[3] ?? '')?.[1])
  expect(Math.round(left * 1e9)).toBe(balance_nano)
  const total = Number(/^4 requests, ([\d.]+) USD in all\.$/.exec(lines.at(-1) ?? '')?.[1])
  expect(Math.round(total * 1e9)).toBe(10_000_000_000 - balance_nano)
  expect(await child.exited).toBe(0)
  expect(await child.stderr.text()).toBe('')
  expect(existsSync(dirname(config))).toBe(false)
}, 20_000)
