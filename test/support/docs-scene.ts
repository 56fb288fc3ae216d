import { symlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemplate } from '../../src/app/config/template.ts'
import { startDemoUpstream } from '../../src/app/demo/upstream.ts'
import { requireBinary, startBinary } from './binary.ts'
import { createTempDir } from './temp-dir.ts'

/** The key of the first token. */
const key = 'sk-0123456789abcdef0123456789abcdef'
const usualAddress = 'http://localhost:8787'
const root = join(import.meta.dir, '../..')

/** A gateway as the guide makes it: the file of `tollgate init`, with an upstream that is there. */
export async function startDocsScene() {
  const upstream = startDemoUpstream({ paceMs: 0, models: ['gpt-5-mini', 'gpt-5-nano'] })
  const folder = createTempDir()
  const bin = join(folder.path, 'bin')
  const cwd = join(folder.path, 'work')
  await Promise.all([mkdir(bin), mkdir(cwd), mkdir(join(folder.path, 'empty'))])
  symlinkSync(requireBinary(), join(bin, 'tollgate'))
  const secrets = { OPENAI_API_KEY: 'upstream-key', ADMIN_PASSWORD: 'a password of the admin' }
  const gateway = await startBinary({
    cwd,
    env: secrets,
    config: (listen) =>
      createTemplate(key)
        .replaceAll('https://api.openai.com/v1', `${upstream.url}/v1`)
        .replace('#allow_private: false', 'allow_private: true')
        .replace('127.0.0.1:8787', listen),
  })
  const env = { ...secrets, KEY: key, HOME: folder.path, PATH: `${bin}:${process.env.PATH ?? ''}` }
  const local = (code: string) => code.replaceAll(usualAddress, gateway.url)

  return {
    /** Runs lines of a shell; the first that fails ends them, and so does an error that curl gets. */
    shell(code: string, isRefused: boolean) {
      const fails = isRefused ? '' : '--fail-with-body '
      const script = `curl() { command curl ${fails}--silent --show-error "$@"; }\n${local(code)}`
      // A new file is written where there is none yet.
      const isNew = code.startsWith('tollgate init')
      return run(['sh', '-ec', script], { cwd: isNew ? join(folder.path, 'empty') : cwd, env })
    },
    /** Runs TypeScript with the packages of the project. */
    typescript: (code: string) =>
      run([process.execPath, '-e', local(code).replaceAll("'sk-…'", `'${key}'`)], {
        cwd: root,
        env,
      }),
    async [Symbol.asyncDispose]() {
      await gateway.stop()
      await upstream.stop()
      folder.remove()
    },
  }
}

interface Place {
  readonly cwd: string
  readonly env: Record<string, string>
}

async function run(command: readonly string[], { cwd, env }: Place) {
  const child = Bun.spawn([...command], {
    cwd,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  return { out, err, code }
}
