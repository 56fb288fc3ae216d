import { expect, test } from 'bun:test'
import { until } from '../e2e/until.ts'
import { testEngine } from '../support/test-store.ts'
import { expectWithinASecond } from '../support/within-a-second.ts'
import { createWorkplace, readUntil } from './cli.ts'

const listening = /"message":"listening","url":"([^"]+)"/

/** A configuration with one free model on one channel, and a token for it. */
const freeModel = (upstream: string) => `server: { listen: "127.0.0.1:0" }
channels: [{ name: c, speaks: { chat: "${upstream}/v1" }, api_key: k, models: [m], allow_private: true }]
groups: [{ name: g, channels: [c] }]
prices: { m: { free: true } }
accounts: [{ email: a@example.com, balance: 1, tokens: [{ name: t, key: ${tokenKey}, group: g }] }]
`
const tokenKey = 'sk-0123456789abcdefghij'
const chat = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }

test('starts with nothing, names the link that leads on and no alarm, ends with 0 on SIGTERM', async () => {
  await using place = await createWorkplace()
  await place.write('empty.yaml', 'server: { listen: "127.0.0.1:0" }\n')
  // Options without a command are meant for serve.
  const child = await place.start(['--config', 'empty.yaml'])
  const start = await readUntil(child.stdout, (text) => text.includes('/console/setup?code='))
  const lines = start
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines[0]).toMatchObject({
    message: 'listening',
    config: 'empty.yaml',
    database:
      testEngine === 'sqlite'
        ? `${place.path}/tollgate.db`
        : expect.stringMatching(/^postgres:\/\/127\.0\.0\.1:\d+\/\w+$/),
    channels: 0,
    groups: 0,
    models: 0,
    accounts: 0,
  })
  const { url } = lines[0]
  expect(lines[1]).toMatchObject({ level: 'info', link: expect.stringContaining(`${url}/console`) })
  expect((await fetch(`${url}/v1/models`)).status).toBe(401)

  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  const rest = await readUntil(child.stdout, (text) => text.includes('"message":"stopped"'))
  expect(start + rest).not.toContain('"No ')
  expect(await child.stderr.text()).toBe('')
})

test('once anything is there, says what is missing, below the link', async () => {
  await using place = await createWorkplace()
  const group = 'groups: [{ name: g, channels: [] }]\n'
  await place.write('tollgate.yaml', `server: { listen: "127.0.0.1:0" }\n${group}`)
  const child = await place.start(['serve', '--log', 'json'])
  const start = await readUntil(child.stdout, (text) => text.includes('No account'))
  const places = ['/console/setup?code=', 'tollgate channel add', 'tollgate account add'].map(
    (part) => start.indexOf(part),
  )
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
})

test('with the file of init, leads into its console by a link', async () => {
  await using place = await createWorkplace()
  expect((await place.run(['init'])).out).toContain('tollgate serve')
  const file = Bun.file(`${place.path}/tollgate.yaml`)
  const text = (await file.text()).replace('127.0.0.1:8787', '127.0.0.1:0')
  await Bun.write(file, text)
  const child = await place.start(['serve', '--log', 'pretty'])
  const start = await readUntil(child.stdout, (said) => said.includes('/console/setup'))
  const link = /http:\S+\/console\/setup\?code=\w+/.exec(start)?.[0] ?? ''
  expect((await fetch(link)).status).toBe(200)
  // The link leads through all of it.
  expect(start).not.toContain('missing:')
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
})

test('sees within a second what a command beside it changes', async () => {
  await using place = await createWorkplace()
  await place.write('tollgate.yaml', freeModel('http://127.0.0.1:9'))
  const child = await place.start(['serve', '--log', 'json'])
  const url = listening.exec(await readUntil(child.stdout, (text) => listening.test(text)))?.[1]
  let [key, id] = ['', 1]
  const addToken = async () => {
    const { out } = await place.run(['token', 'add', '--account', 'a@example.com', '--group', 'g'])
    key = out.trimEnd().split('\n').at(-1) ?? ''
    id++
  }
  const has = (expected: number) => async () => {
    const headers = { authorization: `Bearer ${key}` }
    return (await fetch(`${url}/v1/models`, { headers })).status === expected
  }
  await expectWithinASecond(addToken, has(200))
  await expectWithinASecond(async () => {
    await place.run(['token', 'enable', String(id)])
    await until('it to pass', has(200))
    await place.run(['token', 'disable', String(id)])
  }, has(401))

  await place.write('tollgate.yaml', 'groups: [{ name: g }]\n')
  child.kill('SIGHUP')
  const refused = await readUntil(child.stdout, (text) =>
    text.includes('the old one stays in force'),
  )
  expect(refused).toContain('groups[0].channels')
  child.kill('SIGINT')
  expect(await child.exited).toBe(0)
})

test('health asks who listens, whatever else its file says', async () => {
  await using place = await createWorkplace()
  let status = 503
  const asked: string[] = []
  const gateway = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      asked.push(new URL(url).pathname)
      return new Response('draining', { status })
    },
  })
  const { port } = gateway
  await place.write(
    'tollgate.yaml',
    `server: { listen: "0.0.0.0:${port}" }\nchannels: \${NOT_SET}\n`,
  )
  const url = `http://127.0.0.1:${port}`
  const ready = await place.run(['health', '--ready'])
  expect([ready.code, ready.err]).toEqual([
    1,
    `tollgate: ${url}/readyz answers 503: draining. "tollgate status" and the log say more.\n`,
  ])
  status = 200
  const lives = await place.run(['health'])
  expect(lives).toEqual({ code: 0, out: `${url}/livez answers 200\n`, err: '' })
  expect(asked).toEqual(['/readyz', '/livez'])
  await gateway.stop(true)
  const gone = await place.run(['health'])
  expect([gone.code, gone.out]).toEqual([1, ''])
  expect(gone.err).toStartWith(`tollgate: ${url}/livez does not answer: `)
})

test('a port in use is told without a stack', async () => {
  await using place = await createWorkplace()
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  await place.write('tollgate.yaml', `server: { listen: "127.0.0.1:${other.port}" }\n`)
  const ran = await place.run(['serve'])
  expect(ran).toMatchObject({ code: 1, out: '' })
  expect(ran.err).toBe(
    `tollgate: Port ${other.port} on 127.0.0.1 is in use. Stop what uses it, or give another address (server.listen).\n`,
  )
  // A start that failed is no node that died.
  const { nodes } = JSON.parse((await place.run(['status', '--json'])).out)
  expect(nodes).toEqual([])
  await other.stop(true)
})

test('more than 256 upstream requests run at once', async () => {
  await using place = await createWorkplace()
  const count = 400
  let waiting = 0
  const all = Promise.withResolvers<void>()
  const upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch() {
      waiting++
      if (waiting === count) all.resolve()
      await all.promise
      return Response.json({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })
    },
  })
  await place.write('tollgate.yaml', freeModel(upstream.url.origin))
  const child = await place.start(['serve', '--log', 'json'])
  const url = listening.exec(await readUntil(child.stdout, (text) => listening.test(text)))?.[1]
  // A process of its own: the one that runs the tests has the limit that this is about.
  const script = `await Promise.all(Array.from({ length: ${count} }, () =>
    fetch('${url}/v1/chat/completions', { method: 'POST',
      headers: { authorization: 'Bearer ${tokenKey}' },
      body: '${JSON.stringify(chat)}' }).then((r) => r.text())))`
  const clients = Bun.spawn([process.execPath, '-e', script], {
    env: { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' },
    stdout: 'ignore',
    stderr: 'inherit',
  })
  await Promise.race([all.promise, clients.exited])
  expect(waiting).toBe(count)
  expect(await clients.exited).toBe(0)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  await upstream.stop(true)
})

test('a second signal cuts the grace of open requests short', async () => {
  await using place = await createWorkplace()
  const asked = Promise.withResolvers<void>()
  const never = new Promise<Response>(() => {})
  const upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      asked.resolve()
      return never
    },
  })
  await place.write('tollgate.yaml', freeModel(upstream.url.origin))
  const child = await place.start(['serve', '--log', 'json'])
  const url = listening.exec(await readUntil(child.stdout, (text) => listening.test(text)))?.[1]
  const answer = fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenKey}` },
    body: JSON.stringify(chat),
  })
  await asked.promise
  child.kill('SIGTERM')
  expect(await readUntil(child.stdout, (text) => text.includes('stopping'))).toContain('"active":1')
  child.kill('SIGTERM')
  expect((await answer).status).toBeGreaterThanOrEqual(500)
  expect(await child.exited).toBe(0)
  const { out } = await place.run(['export', 'requests'])
  expect(JSON.parse(out)).toMatchObject({ ending: 'shutdown', account: 'a@example.com' })
  await upstream.stop(true)
})

test('an error that nobody caught is told, and does not end the process', async () => {
  const script = `
    const { surviveBugs } = await import('${import.meta.dir}/../../src/cli/lifecycle.ts')
    surviveBugs({ error: (message, { error }) => console.log(message, error.message) })
    setTimeout(() => {
      setTimeout(() => {
        setTimeout(() => console.log('still here'), 10)
        void Promise.reject(new Error('two'))
      }, 10)
      throw new Error('one')
    })`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
  expect(await child.stdout.text()).toBe(
    'uncaught exception one\nunhandled rejection two\nstill here\n',
  )
  expect(await child.exited).toBe(0)
})
