import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { createDemoConfig, demoAccount, demoAdmin, demoModels } from '../app/demo/config.ts'
import { startDemoUpstream } from '../app/demo/upstream.ts'
import { findConfig } from '../app/find-config.ts'
import { openInstance } from '../app/instance.ts'
import { serve } from '../app/serve.ts'
import { fileOf } from '../app/store-place.ts'
import { UserError } from '../app/user-error.ts'
import { systemClock } from '../lib/clock.ts'
import { messageOf } from '../lib/failure.ts'
import { createTokenKey } from '../lib/ids.ts'
import { createLineSink, type LineSink, withoutColors } from '../lib/line-sink.ts'
import { createLogger } from '../lib/log.ts'
import { withExamples } from './config-option.ts'
import { createDemoLog, describeDemo } from './demo-text.ts'
import { interruptible, seeOut, surviveBugs, untilStopped } from './lifecycle.ts'
import { parsePort } from './values.ts'

interface DemoOptions {
  readonly port?: number | undefined
  readonly log: 'pretty' | 'json'
  readonly empty?: boolean | undefined
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
    .option('--empty', 'without made-up requests, and with one model alone')
    .action(runDemo)
  withExamples(command, 'tollgate demo', 'tollgate demo --port 9000', 'tollgate demo --empty')
}

async function runDemo(options: DemoOptions): Promise<void> {
  const sink = createLineSink(process.stdout)
  await seeOut(sink, async () => {
    const upstream = startDemoUpstream({ models: demoModels })
    try {
      // The running demo handles signals itself.
      const demo = await interruptible(() => startDemo(upstream.url, sink, options))
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
  const isEmpty = options.empty ?? false
  const text = createDemoConfig({ port, upstreamUrl, tokenKey, password, isEmpty })
  await writeFile(configFile, text, { mode: 0o600 })
  const { config } = await findConfig(configFile)
  const instance = await openInstance(config)
  const isJson = options.log === 'json'
  const inner = createLogger({
    sink: isJson ? sink.write : withoutColors(sink.write, process.stdout),
    ...{ pretty: !isJson, clock: systemClock, level: isJson ? 'info' : 'warn' },
  })
  surviveBugs(inner)
  const file = fileOf(config.store)
  if (!isEmpty && file !== undefined) {
    const { makeUpWeek } = await import('../app/demo/week.ts')
    const { secrets } = instance
    await makeUpWeek({ path: file, config, secrets, clock: systemClock, log: inner })
  }
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
  const facts = { url, tokenKey, configFile, email: demoAdmin, password, isEmpty }
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
    const reason = messageOf(cause)
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
