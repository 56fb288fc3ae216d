import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { startDemoUpstream } from '../app/demo/upstream.ts'
import { findConfig, type Instance, openInstance, UserError } from '../app/instance.ts'
import { serve } from '../app/serve.ts'
import { systemClock } from '../lib/clock.ts'
import { createTokenKey } from '../lib/ids.ts'
import { createLogger } from '../lib/log.ts'
import { createDemoConfig, demoAccount, demoAdmin } from './demo-config.ts'
import { createDemoLog } from './demo-log.ts'
import { describeDemo } from './demo-text.ts'
import { surviveBugs, untilStopped } from './lifecycle.ts'
import { createLineSink, type LineSink, withoutColors } from './log-sink.ts'
import { withExamples } from './open.ts'
import { parsePort } from './values.ts'

interface DemoOptions {
  readonly port?: number
  readonly log: 'pretty' | 'json'
}

const usualPort = 8787

/** `tollgate demo`: a gateway with an upstream, a token and a balance, gone when it ends. */
export function addDemo(program: Command): void {
  const command = program
    .command('demo')
    .description('try it: a gateway with a built-in upstream, a token and a balance')
    .option('--port <number>', `port (default: ${usualPort}, or the next free one)`, parsePort)
    .addOption(
      new Option('--log <form>', 'how requests are shown')
        .choices(['pretty', 'json'])
        .default('pretty'),
    )
    .action(runDemo)
  withExamples(command, 'tollgate demo', 'tollgate demo --port 9000')
}

async function runDemo({ port, log }: DemoOptions): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-demo-'))
  const sink = createLineSink(process.stdout)
  const upstream = startDemoUpstream()
  try {
    const configFile = join(directory, 'tollgate.yaml')
    const tokenKey = createTokenKey()
    const password = createPassword()
    const text = createDemoConfig({
      port: port ?? findFreePort(),
      upstreamUrl: upstream.url,
      ...{ tokenKey, password },
    })
    await writeFile(configFile, text, { mode: 0o600 })
    await serveDemo({ configFile, tokenKey, password, sink, isJson: log === 'json' })
  } finally {
    await upstream.stop()
    await rm(directory, { recursive: true, force: true })
    await sink.flush()
  }
}

interface Demo {
  readonly configFile: string
  readonly tokenKey: string
  readonly password: string
  readonly sink: LineSink
  readonly isJson: boolean
}

async function serveDemo(parts: Demo): Promise<void> {
  const { configFile, tokenKey, password, sink, isJson } = parts
  const { config } = await findConfig(configFile)
  const instance = await openInstance(config)
  const inner = createLogger({
    sink: isJson ? sink.write : withoutColors(sink.write, process.stdout),
    pretty: !isJson,
    clock: systemClock,
    level: isJson ? 'info' : 'warn',
  })
  surviveBugs(inner)
  const demo = createDemoLog({
    inner,
    print: isJson ? undefined : sink.write,
    balance: () => readBalance(instance),
  })
  try {
    const reload = async () => config
    const serving = await serve({ config, instance, log: demo.log, reload })
    const stopped = untilStopped(serving)
    const facts = { url: serving.url, tokenKey, configFile, email: demoAdmin, password }
    for (const line of describeDemo(facts)) sink.write(line)
    await stopped
    await demo.idle()
    sink.write(`\n${demo.summary()}`)
  } finally {
    await instance.store.close()
  }
}

async function readBalance({ store }: Instance): Promise<number | undefined> {
  return (await store.admin.account(demoAccount))?.balanceNano
}

/** Good until the demo ends: 80 bits, easy to type. */
const createPassword = () => crypto.getRandomValues(new Uint8Array(10)).toHex()

/** The usual port, or the next one that nobody uses. */
function findFreePort(): number {
  for (let port = usualPort; port < usualPort + 100; port++) {
    try {
      const socket = { data() {} }
      Bun.listen({ hostname: '127.0.0.1', port, exclusive: true, socket }).stop(true)
      return port
    } catch {
      // In use: the next one.
    }
  }
  throw new UserError(`No free port from ${usualPort} on. Name one with --port.`)
}
