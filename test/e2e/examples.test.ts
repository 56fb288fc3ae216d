import { describe, expect, test } from 'bun:test'
import { type RunningBinary, startBinary } from '../support/binary.ts'
import { startFakeUpstream } from '../support/fake-upstream.ts'
import { testKey, tollgateYaml } from '../support/tollgate-yaml.ts'
import { balancers, exampleFile, fetchThrough, startBalancer, tryExample } from './balancer.ts'
import { readUntil } from './caller.ts'
import { allDialects, type Dialect, dialects } from './dialects.ts'
import { saidFirst, startHesitating } from './hesitating.ts'
import { openLedger } from './ledger.ts'
import { until } from './until.ts'

// The examples of data/examples, on the programs that they are for: load balancers before two
// gateways, each with a database of its own, which is all the same to a balancer.

/** Between two requests of a client: the balancer is tried, not the machine. */
const pauseMs = 100

const tokens = { input: 10, output: 5 }

interface NodeOptions {
  readonly delay?: string
  readonly site?: object
  /** Where it runs again, on the same port and database. */
  readonly former?: Pick<RunningBinary, 'cwd' | 'port'>
}

const startNode = (
  upstream: { readonly url: string },
  { delay = '0s', site = {}, former }: NodeOptions = {},
) =>
  startBinary({
    ...(former && { cwd: former.cwd, port: former.port }),
    config: (listen) =>
      tollgateYaml({
        listen,
        upstream: upstream.url,
        site,
        server: { shutdown_delay: delay, trusted_proxies: ['127.0.0.1'] },
      }),
  })

/** Both nodes, and the first again: the examples have three. */
const addresses = (nodes: readonly RunningBinary[]) =>
  [nodes[0], nodes[1], nodes[0]].map((node) => `127.0.0.1:${node?.port}`)

const askThrough = (url: string, dialect: Dialect, stream: boolean) =>
  fetchThrough(url + dialect.path(stream), {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(dialect.request(stream)),
  })

describe.each(Object.entries(balancers))('%s', (name, balancer) => {
  const here = test.skipIf(Bun.which(name) === null && !process.env.CI)

  here('takes the example', async () => {
    const { said, exitCode } = await tryExample(balancer)
    expect([exitCode, exitCode === 0 ? '' : said]).toEqual([0, ''])
    expect(said).not.toMatch(/warn/i)
  })

  here('passes each event on when it comes, and shows nobody how its nodes are', async () => {
    const { upstream, go } = startHesitating(tokens)
    await using _ = upstream
    await using node = await startNode(upstream)
    await using front = await startBalancer(balancer, addresses([node, node]))
    for (const path of ['/livez', '/readyz'])
      expect((await fetchThrough(front.url + path)).status).toBe(404)
    const plain = await fetchThrough(`${front.httpUrl}/status?lang=zh`)
    expect([plain.status, plain.headers.get('location')]).toEqual([
      308,
      expect.stringMatching(/^https:.*\/status\?lang=zh$/),
    ])
    const begun = await Promise.all(
      allDialects.map(async (dialect) => {
        const answer = await askThrough(front.url, dialect, true)
        return { dialect, ...(await readUntil(answer, (text) => text.includes(saidFirst))) }
      }),
    )
    // All have got their beginning while the upstream holds back the rest.
    go()
    for (const { dialect, text, reader } of begun) {
      let all = text
      const decoder = new TextDecoder()
      for (let part = await reader.read(); !part.done; part = await reader.read())
        all += decoder.decode(part.value, { stream: true })
      expect([dialect.name, dialect.isWhole(all)]).toEqual([dialect.name, true])
    }
  })

  here('a node is stopped under load, and no request fails', async () => {
    const { upstream, go } = startHesitating(tokens)
    await using _ = upstream
    go()
    // Longer than the two checks of HAProxy, one a second, that notice it.
    await using one = await startNode(upstream, { delay: '4s' })
    await using other = await startNode(upstream)
    await using front = await startBalancer(balancer, addresses([one, other]))
    const failed: string[] = []
    let answered = 0
    let goesOn = true
    const clients = Array.from({ length: 12 }, async (_, at) => {
      const dialect = allDialects[at % allDialects.length] ?? dialects.chat
      while (goesOn) {
        const answer = await askThrough(front.url, dialect, at % 2 === 0)
        const text = await answer.text()
        if (answer.status === 200) answered++
        else failed.push(`${answer.status} ${text}`)
        await Bun.sleep(pauseMs)
      }
    })
    const asked = async (node: RunningBinary) => {
      await using ledger = openLedger(node.cwd)
      return (await ledger.charges()).length
    }
    await until(
      'both nodes to work',
      async () => (await asked(one)) > 50 && (await asked(other)) > 50,
      20_000,
    )
    front.takeOut(`127.0.0.1:${one.port}`)
    expect(await one.kill('SIGTERM')).toBe(0)
    const before = await asked(other)
    await until('the other to go on alone', async () => (await asked(other)) > before + 50)
    goesOn = false
    await Promise.all(clients)
    expect(failed).toEqual([])
    expect((await asked(one)) + (await asked(other))).toBe(answered)
  })

  here(
    'each person has the console of one node, and of another one when that is gone',
    async () => {
      await using upstream = startFakeUpstream(() => new Response())
      await using one = await startNode(upstream, { site: { name: 'one' } })
      await using other = await startNode(upstream, { site: { name: 'other' } })
      await using front = await startBalancer(balancer, addresses([one, other]))
      const nameThere = async () => {
        const answer = await fetchThrough(`${front.url}/api/v1/settings/public`)
        const { data } = (await answer.json()) as { data?: { site_name: string } }
        return data?.site_name
      }
      const name = await nameThere()
      expect(name).toBeOneOf(['one', 'other'])
      for (let count = 0; count < 20; count++) expect(await nameThere()).toBe(name)
      await (name === 'one' ? one : other).kill('SIGKILL')
      const next = name === 'one' ? 'other' : 'one'
      await until('the other node to be asked', async () => (await nameThere()) === next)
    },
  )

  here('what was sent to a node that dies is not sent again', async () => {
    await using upstream = startFakeUpstream(() => new Promise<Response>(() => {}))
    await using one = await startNode(upstream)
    await using other = await startNode(upstream)
    await using front = await startBalancer(balancer, addresses([one, other]))
    const answer = askThrough(front.url, dialects.chat, false)
    await until('the upstream to be asked', () => upstream.requests.length > 0)
    await Promise.all([one.kill('SIGKILL'), other.kill('SIGKILL')])
    expect((await answer).status).toBe(502)
    expect(upstream.requests.length).toBe(1)
  })
})

test.skipIf(Bun.which('nginx') === null && !process.env.CI)(
  'nginx: nodes that are killed one after the other cost what was under way, and no more',
  async () => {
    const { upstream, go } = startHesitating(tokens)
    await using _ = upstream
    go()
    const nodes = [await startNode(upstream), await startNode(upstream)]
    await using front = await startBalancer(balancers.nginx, addresses(nodes))
    const clients = 12
    let [answered, failed, goesOn] = [0, 0, true]
    const load = Array.from({ length: clients }, async () => {
      while (goesOn) {
        const answer = await askThrough(front.url, dialects.chat, false)
        await answer.text()
        if (answer.status === 200) answered++
        else failed++
        await Bun.sleep(pauseMs)
      }
    })
    const kills = 4
    for (let at = 0; at < kills; at++) {
      const before = answered
      await until('requests to be answered', () => answered > before + 20)
      const killed = nodes[at % 2] as RunningBinary
      await killed.kill('SIGKILL')
      nodes[at % 2] = await startNode(upstream, { former: killed })
      // nginx reckons in whole seconds: it may be left alone for two of them. Longer is too long.
      await Bun.sleep(2_500)
    }
    goesOn = false
    await Promise.all(load)
    await Promise.all(nodes.map((node) => node.stop()))
    expect(failed).toBeLessThanOrEqual(kills * clients)
  },
)

test.skipIf(Bun.which('systemd-analyze') === null)(
  'systemd takes the unit, whose program is not there yet',
  async () => {
    const child = Bun.spawn(['systemd-analyze', 'verify', exampleFile('tollgate.service')], {
      stderr: 'pipe',
    })
    const complaints = (await child.stderr.text()).split('\n').filter((line) => line !== '')
    await child.exited
    const ours = complaints.filter((line) => line.includes('tollgate.service'))
    expect(
      ours.filter((line) => !line.includes('/usr/local/bin/tollgate is not executable')),
    ).toEqual([])
  },
)
