import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { type RunningBinary, runBinary, startBinary } from '../support/binary.ts'
import { tollgateYaml } from '../support/tollgate-yaml.ts'

/** Full-width brackets and a middle dot, as the specification says of group names. */
export const groupName = '默认【官转·稳定】'

/** The two addresses of the feed. */
export const feedPaths = ['/pricing/provider-pricing.json', '/api/provider/pricing'] as const

/** A gateway whose prices a test can change. */
export interface PricedGateway extends AsyncDisposable {
  readonly tollgate: RunningBinary
  /** Its configuration file. */
  readonly file: string
  /** Applies another input price (USD per 1M) and multiplier beside the running gateway. */
  setPrice(input: number, multiplier?: number): Promise<void>
  /** Stops it and starts it again on the same port and data. */
  restart(): Promise<void>
}

/** Starts a gateway with one token-priced, one call-priced and one free model in its group. */
export async function startPricedGateway(
  upstream: string,
  site: object = { name: 'My gateway', domain: 'gateway.example.com' },
): Promise<PricedGateway> {
  const yaml = (listen: string, input = 1, multiplier = 0.8) => {
    const base = tollgateYaml({
      listen,
      upstream,
      models: ['test-model', 'painter', 'house-llm'],
      group: { name: groupName, rate_multiplier: multiplier },
      token: { group: groupName },
      settings: { feed_interval: '1s' },
      prices: {
        'test-model': { input, output: 2, cache_read: 0.1 },
        painter: { per_call: 0.04, note: '每次·一张' },
        'house-llm': { free: true },
      },
    })
    return stringify({ ...parse(base), site })
  }
  let tollgate = await startBinary({ config: yaml })
  const { port, cwd } = tollgate
  const file = join(cwd, 'tollgate.yaml')
  return {
    get tollgate() {
      return tollgate
    },
    file,
    async setPrice(input, multiplier) {
      writeFileSync(file, yaml(`127.0.0.1:${port}`, input, multiplier))
      const { exitCode, stderr } = await runBinary(['apply', '--config', file])
      if (exitCode !== 0) throw new Error(stderr)
    },
    async restart() {
      tollgate = await startBinary({ args: ['serve', '--config', file], cwd, port })
    },
    async [Symbol.asyncDispose]() {
      await tollgate.stop()
    },
  }
}

/** Reads a feed as text. */
export async function readFeed(url: string, path: string = feedPaths[0]): Promise<string> {
  const response = await fetch(url + path, { proxy: false })
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return response.text()
}
