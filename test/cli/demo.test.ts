import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { until } from '../e2e/until.ts'
import { createWorkplace, program, readUntil, type Workplace } from './cli.ts'

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
})

/** What an administrator reads of a running demo, by the address and password that it prints. */
async function signIn(intro: string) {
  const url = /on (http:\S+),/.exec(intro)?.[1] ?? ''
  const password = / password +(\S+)/.exec(intro)?.[1]
  const answer = await fetch(`${url}/api/v1/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email: 'admin@example.com', password }),
  })
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  const headers = { cookie: cookies.join('; ') }
  return async (path: string) => {
    const read = await fetch(`${url}/api/v1/${path}`, { headers })
    return ((await read.json()) as { readonly data: Record<string, unknown> }).data
  }
}

test('a week of made-up requests fills every list, each told apart, and the books are right', async () => {
  await using place = await createWorkplace()
  const child = await place.start(['demo', '--port', '0'])
  const intro = await readUntil(child.stdout, (text) => text.includes('What each request used'))
  const read = await signIn(intro)
  const admin = ['channels', 'groups', 'prices', 'accounts', 'requests', 'attempts', 'audit']
  const lists = ['tokens', 'requests', 'ledger', ...admin.map((name) => `admin/${name}`)]
  const empty = []
  for (const list of lists) if (!((await read(list)).items as unknown[]).length) empty.push(list)
  expect(empty).toEqual([])

  const { total, items } = await read('admin/requests')
  expect(total).toBeGreaterThan(1_000)
  const rows = items as { readonly request_id: string; readonly token: string }[]
  expect(rows.filter(({ request_id }) => !request_id.startsWith('req_madeup_'))).toEqual([])
  expect(rows.filter(({ token }) => !token.endsWith('(made up)'))).toEqual([])
  const { usage, steps } = (await read('admin/overview?days=7')) as {
    readonly usage: { readonly days: readonly { readonly requests: number }[] }
    readonly steps: readonly { readonly is_done: boolean }[]
  }
  // The last day may have just begun: nothing made up is newer than two minutes.
  expect(usage.days.slice(0, -1).filter(({ requests }) => requests === 0)).toEqual([])
  expect(steps.every(({ is_done }) => is_done)).toBe(true)
  const { groups } = (await read('status')) as { readonly groups: readonly object[] }
  expect(groups).toHaveLength(3)

  const config = /--config (\S+)/.exec(intro)?.[1] ?? ''
  const { code, out, err } = await place.run(['verify', '--config', config])
  expect([code, err]).toEqual([0, ''])
  expect(out).toStartWith(`Verified ${new Intl.NumberFormat('en').format(Number(total))} requests`)
  child.kill('SIGINT')
  expect(await child.exited).toBe(0)
})

test('--empty starts without made-up requests', async () => {
  await using place = await createWorkplace()
  const child = await place.start(['demo', '--port', '0', '--empty'])
  const intro = await readUntil(child.stdout, (text) => text.includes('What each request used'))
  const read = await signIn(intro)
  expect((await read('admin/requests')).total).toBe(0)
  expect((await read('admin/groups')).total).toBe(1)
  child.kill('SIGINT')
  expect(await child.exited).toBe(0)
})

/** A demo, and the folder that it makes its own in. */
async function startDemo(place: Workplace, signal: NodeJS.Signals) {
  const env = { ...(await place.environment(['demo'])), TMPDIR: place.path }
  const command = [...program, 'demo', '--port', '0']
  const child = Bun.spawn(command, { cwd: place.path, env, stdout: 'pipe', stderr: 'pipe' })
  const folders = () => readdirSync(place.path)
  return {
    child,
    folders,
    async end() {
      child.kill(signal)
      const code = await child.exited
      return { code, left: folders(), err: await child.stderr.text() }
    },
  }
}

test('ended before it is up, it leaves nothing behind', async () => {
  await using place = await createWorkplace()
  const demo = await startDemo(place, 'SIGTERM')
  await until('its folder', () => demo.folders().length > 0)
  const { code, left, err } = await demo.end()
  expect(left).toEqual([])
  // On a slow day it may be up already.
  expect([
    [143, 'tollgate: interrupted (SIGTERM): nothing was left behind\n'],
    [0, ''],
  ]).toContainEqual([code, err])
})

test('nor when its terminal is closed', async () => {
  await using place = await createWorkplace()
  const demo = await startDemo(place, 'SIGHUP')
  await readUntil(demo.child.stdout, (text) => text.includes('What each request used'))
  expect(await demo.end()).toEqual({ code: 0, left: [], err: '' })
})

test('without a place for its folder it says so, and where it is named', async () => {
  await using place = await createWorkplace()
  const TMPDIR = join(place.path, 'nowhere')
  const { code, out, err } = await place.run(['demo', '--port', '0'], { env: { TMPDIR } })
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(
    /^tollgate: The demo keeps its data in a folder .* can be made in \S+nowhere /,
  )
  expect(err).toEndWith('Name another place: TMPDIR=/some/folder tollgate demo\n')
})

test('a port in use is told with the option that the demo has, and nothing is left', async () => {
  await using place = await createWorkplace()
  using other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const env = { TMPDIR: place.path }
  const { code, err } = await place.run(['demo', '--port', `${other.port}`], { env })
  expect([code, err]).toEqual([
    1,
    `tollgate: Port ${other.port} on 127.0.0.1 is in use. Stop what uses it, or give another address (--port).\n`,
  ])
  expect(readdirSync(place.path)).toEqual([])
})
