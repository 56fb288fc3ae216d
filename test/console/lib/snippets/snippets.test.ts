import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { baseAddress, clients, snippetsOf } from '../../../../src/look/snippets.ts'
import { startConsoleScene } from '../../../support/console-scene.ts'
import { createTempDir, type TempDir } from '../../../support/temp-dir.ts'
import { testKey } from '../../../support/tollgate-yaml.ts'

const sdks = ['chat', 'responses', 'messages', 'gemini'] as const
const modules = join(import.meta.dir, '../../../../node_modules')

let scene: Awaited<ReturnType<typeof startConsoleScene>>
let server: ReturnType<typeof Bun.serve>
let dir: TempDir
beforeAll(async () => {
  scene = await startConsoleScene()
  const fetch = (request: Request) => scene.tollgate.app.handle(request)
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
  dir = createTempDir()
})
afterAll(async () => {
  await server.stop(true)
  await scene.stop()
  dir.remove()
})

const setup = () => ({ address: server.url.origin, key: testKey, model: 'test-model' })

function snippet(client: (typeof clients)[number], title: string): string {
  const found = snippetsOf(client, setup()).find((one) => one.title === title)
  return found?.code ?? ''
}

async function run(command: readonly string[], env: Record<string, string>) {
  const { PATH = '' } = process.env
  const child = Bun.spawn([...command], { env: { PATH, ...env }, stdout: 'pipe', stderr: 'pipe' })
  const texts = [new Response(child.stdout).text(), new Response(child.stderr).text()]
  const [out = '', err = ''] = await Promise.all(texts)
  return { code: await child.exited, out, err }
}

describe('a base address', () => {
  test('has /v1 where the client does not add it', () => {
    const bases = clients.map((client) => [client, baseAddress(client, 'https://gw.example/')])
    expect(Object.fromEntries(bases)).toEqual({
      chat: 'https://gw.example/v1',
      responses: 'https://gw.example/v1',
      messages: 'https://gw.example',
      gemini: 'https://gw.example',
      'claude-code': 'https://gw.example',
      codex: 'https://gw.example/v1',
      'gemini-cli': 'https://gw.example',
    })
  })

  test('stands in every snippet that names one', () => {
    for (const client of clients) {
      for (const { code } of snippetsOf(client, setup())) {
        const named = /https?:[^\s"']+/.exec(code)?.[0]
        if (named) expect(named).toStartWith(baseAddress(client, server.url.origin))
      }
    }
  })
})

test('a model with a slash is one part of a path', () => {
  const asked = { address: 'https://gw.example', key: testKey, model: 'openai/gpt-4o' }
  const code = snippetsOf('gemini', asked).find(({ title }) => title === 'curl')?.code
  expect(code).toContain('https://gw.example/v1beta/models/openai%2Fgpt-4o:generateContent')
})

describe('a curl snippet', () => {
  /** Says what it was called with: not every machine has the real one. */
  const curl = `#!/bin/sh\nfor word; do printf '%s\\0' "$word"; done\n`

  for (const client of sdks) {
    test(`${client}: is answered`, async () => {
      const program = join(dir.path, 'curl')
      writeFileSync(program, curl)
      chmodSync(program, 0o755)
      const PATH = `${dir.path}:${process.env.PATH}`
      const { out } = await run(['sh', '-c', snippet(client, 'curl')], { PATH })
      const words = out.split('\0')
      const after = (option: string) => words.filter((_, i) => words[i - 1] === option)
      const headers = after('-H').map((line) => line.split(': ') as [string, string])
      const [body] = after('-d')
      const response = await fetch(words[0] ?? '', { method: 'POST', headers, body: body ?? '' })
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('{')])
    })
  }
})

test('the TypeScript snippets run as they are, each with its own SDK', async () => {
  const files = sdks.map((client) => {
    writeFileSync(join(dir.path, `${client}.ts`), snippet(client, 'TypeScript'))
    return `console.log('${client}:'); await import('./${client}.ts')`
  })
  const main = join(dir.path, 'main.ts')
  writeFileSync(main, files.join('\n'))
  const env = { NODE_PATH: modules, HOME: dir.path }
  const { code, out, err } = await run([process.execPath, main], env)
  expect([err, code]).toEqual(['', 0])
  for (const client of sdks) expect(out).toMatch(new RegExp(`${client}:\\n\\S+`))
})

test('what is special to a shell stays a text', async () => {
  const model = `a'b $HOME "c"`
  const [shell] = snippetsOf('claude-code', { ...setup(), model })
  const program = shell?.code.replace(/^claude/m, "printf '%s'") ?? ''
  const { out } = await run(['sh', '-c', program.replace('--model ', '')], {})
  expect(out).toBe(model)
})

test('the files of coding agents are what these read', () => {
  const settings = JSON.parse(snippet('claude-code', '~/.claude/settings.json'))
  expect(settings.env).toEqual({
    ANTHROPIC_BASE_URL: server.url.origin,
    ANTHROPIC_AUTH_TOKEN: testKey,
  })
  const codex = Bun.TOML.parse(snippet('codex', '~/.codex/config.toml')) as {
    model_providers: { tollgate: { base_url: string; wire_api: string } }
  }
  expect(codex.model_providers.tollgate).toMatchObject({
    base_url: `${server.url.origin}/v1`,
    wire_api: 'responses',
  })
  expect(snippet('codex', 'Shell')).toContain(`export TOLLGATE_KEY=${testKey}`)
  const shell = snippet('gemini-cli', 'Shell')
  expect(shell).toContain(`export GOOGLE_GEMINI_BASE_URL=${server.url.origin}\n`)
})
