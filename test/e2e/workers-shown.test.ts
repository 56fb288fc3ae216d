import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { startBinary } from '../support/binary.ts'
import { parseExposition } from '../support/exposition.ts'
import { jsonAnswer, startFakeUpstream } from '../support/fake-upstream.ts'
import { freePort } from '../support/free-port.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'
import { ask } from './caller.ts'
import { dialects } from './dialects.ts'
import { until } from './until.ts'

const { chat } = dialects
const workers = 2

/** Pids of the processes that this one has started, the earliest first. */
const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)

test.if(process.platform === 'linux')(
  'metrics and log show each worker; totals do not fall when one is replaced',
  async () => {
    const upstream = startFakeUpstream(() => jsonAnswer(chat.body({ input: 10, output: 20 })))
    await using _ = upstream
    const metrics = `127.0.0.1:${await freePort()}`
    await using gateway = await startBinary({
      args: ['serve', '--log', 'json'],
      config: (listen) =>
        tollgateYaml({ listen, upstream: upstream.url, server: { workers, metrics } }),
    })

    /** Values of a metric, by one of its labels. */
    async function read(name: string, label: string): Promise<Readonly<Record<string, number>>> {
      const answer = await fetch(`http://${metrics}/metrics`, { proxy: false })
      const lines = parseExposition(await answer.text()).get(name)?.lines ?? []
      return Object.fromEntries(lines.map(({ labels, value }) => [labels[label], value]))
    }
    const succeeded = async () => (await read('tollgate_requests_total', 'outcome')).succeeded ?? 0
    const haveAnswered = (count: number) =>
      until(`metrics of ${count} requests`, async () => (await succeeded()) === count)
    const isComplete = async () => (await read('tollgate_workers', 'state')).connected === workers

    await until('a group that is complete', isComplete)
    for (let count = 0; count < 20; count++)
      expect((await ask(gateway.url, chat, false)).status).toBe(200)
    await haveAnswered(20)
    const memory = await read('tollgate_worker_resident_memory_bytes', 'worker')
    expect(Object.keys(memory)).toEqual(['0', '1'])
    for (const bytes of Object.values(memory)) expect(bytes).toBeGreaterThan(1e6)
    // In the keeper's memory: no Valkey.
    expect(await read('tollgate_shared_counters_up', '')).toEqual({})

    const requests = gateway.stdout
      .map((line) => JSON.parse(line))
      .filter(({ message }) => message === 'request')
    expect(requests).toHaveLength(20)
    for (const { worker } of requests) expect([0, 1]).toContain(worker)

    const [, victim = 0] = childrenOf(gateway.pid)
    process.kill(victim, 'SIGKILL')
    await until(
      'another worker',
      () =>
        childrenOf(gateway.pid).length === 1 + workers && !childrenOf(gateway.pid).includes(victim),
    )
    await until('a group that is complete again', isComplete)
    expect(await succeeded()).toBe(20)
    for (let count = 0; count < 5; count++)
      expect((await ask(gateway.url, chat, false)).status).toBe(200)
    await haveAnswered(25)
  },
)
