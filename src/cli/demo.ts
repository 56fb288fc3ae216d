import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { startDemoUpstream } from '../app/demo/upstream.ts'
import { findConfig, openInstance, UserError } from '../app/instance.ts'
import { serve } from '../app/serve.ts'
import { systemClock } from '../lib/clock.ts'
import { createTokenKey } from '../lib/ids.ts'
import { createLineSink, type LineSink, withoutColors } from '../lib/line-sink.ts'
import { createLogger } from '../lib/log.ts'
import { createDemoLog, describeDemo } from './demo-text.ts'
import { interruptible, seeOut, surviveBugs, untilStopped } from './lifecycle.ts'
import { withExamples } from './open.ts'
import { parsePort } from './values.ts'

interface DemoOptions {
  readonly port?: number | undefined
  readonly log: 'pretty' | 'json'
}

const usualPort = 8787

/** `tollgate demo`: a gateway with an upstream, a token and a balance, removed at its end. */
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
  const sink = createLineSink(process.stdout)
  await seeOut(sink, async () => {
    const upstream = startDemoUpstream()
    try {
      // The running demo handles signals itself.
      const demo = await interruptible(() => startDemo(upstream.url, sink, { port, log }))
      return await demo.stopped
    } finally {
      await upstream.stop()
    }
  })
}

async function startDemo(
  upstreamUrl: string,
  sink: LineSink,
  options: DemoOptions,
): Promise<{ readonly stopped: Promise<readonly string[]> }> {
  const configFile = join(makeFolder(), 'tollgate.yaml')
  const tokenKey = createTokenKey()
  const password = createPassword()
  const port = options.port ?? findFreePort()
  const text = createDemoConfig({ port, upstreamUrl, tokenKey, password })
  await writeFile(configFile, text, { mode: 0o600 })
  const { config } = await findConfig(configFile)
  const instance = await openInstance(config)
  const isJson = options.log === 'json'
  const inner = createLogger({
    sink: isJson ? sink.write : withoutColors(sink.write, process.stdout),
    ...{ pretty: !isJson, clock: systemClock, level: isJson ? 'info' : 'warn' },
  })
  surviveBugs(inner)
  const balance = async () => (await instance.store.admin.account(demoAccount))?.balanceNano
  const demo = createDemoLog(inner, isJson ? undefined : sink.write, balance)
  const reload = async () => config
  const { url, stop, waitsFor } = await serve({
    ...{ config, instance, log: demo.log, reload, addressSetBy: '--port' },
  }).catch(async (error) => {
    await instance.store.close()
    throw error
  })
  const stopped = untilStopped({ stop, waitsFor })
  const facts = { url, tokenKey, configFile, email: demoAdmin, password }
  for (const line of describeDemo(facts)) sink.write(line)
  const ended = stopped.then(async (left) => {
    await demo.idle()
    sink.write(`\n${demo.summary()}`)
    return left
  })
  return { stopped: ended }
}

function makeFolder(): string {
  try {
    const directory = mkdtempSync(resolve(tmpdir(), 'tollgate-demo-'))
    process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
    return directory
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(
      `The demo keeps its data in a folder for as long as it runs, and none can be made in ${tmpdir()} ` +
        `(${reason}). Name another place: TMPDIR=/some/folder tollgate demo`,
      { cause },
    )
  }
}

/** 80 bits, easy to type. */
const createPassword = () => crypto.getRandomValues(new Uint8Array(10)).toHex()

function findFreePort(): number {
  for (let port = usualPort; port < usualPort + 100; port++) {
    try {
      const socket = { data() {} }
      Bun.listen({ hostname: '127.0.0.1', port, exclusive: true, socket }).stop(true)
      return port
    } catch {}
  }
  throw new UserError(`No free port from ${usualPort} on. Name one with --port.`)
}

interface DemoParts {
  readonly port: number
  readonly upstreamUrl: string
  readonly tokenKey: string
  readonly password: string
}

const demoAdmin = 'admin@example.com'

const demoAccount = 'demo@example.com'

/** The demo's tollgate.yaml beside its database, so that every other command works on it. */
function createDemoConfig({ port, upstreamUrl, tokenKey, password }: DemoParts): string {
  // Every JSON document is a YAML document.
  return JSON.stringify(
    {
      server: { listen: `127.0.0.1:${port}`, shutdown_grace: '5s' },
      store: 'sqlite:./demo.db',
      site: { name: 'Tollgate demo' },
      channels: [
        {
          name: 'built-in',
          speaks: {
            chat: `${upstreamUrl}/v1`,
            responses: `${upstreamUrl}/v1`,
            messages: upstreamUrl,
            gemini: upstreamUrl,
          },
          api_key: 'any-key-will-do',
          models: ['demo', 'demo-embedding', 'demo-painter'],
          allow_private: true,
        },
      ],
      groups: [{ name: 'demo', rate_multiplier: 0.8, channels: ['built-in'] }],
      prices: {
        demo: { input: 0.25, output: 2, cache_read: 0.025, cache_write: 0.3125 },
        'demo-embedding': { input: 0.02, output: 0 },
        'demo-painter': { per_call: 0.04 },
      },
      accounts: [
        {
          email: demoAccount,
          balance: 10,
          tokens: [{ name: 'demo', key: tokenKey, group: 'demo' }],
        },
        { email: demoAdmin, role: 'admin', password },
      ],
    },
    null,
    2,
  )
}
