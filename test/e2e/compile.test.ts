import { describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempDir } from '../support/temp-dir.ts'

const project = join(import.meta.dir, '../..')

async function run(script: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn(['/bin/sh', script, ...args], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { stdout, stderr, exitCode: await child.exited }
}

describe('compile.sh', () => {
  const script = join(project, 'compile.sh')

  test('shows its usage with --help', async () => {
    const { stdout, exitCode } = await run(script, ['--help'])
    expect(exitCode).toBe(0)
    for (const option of ['--run', '--test', '--store', '--target', '--release'])
      expect(stdout).toContain(option)
  })

  test.each([
    [['--tset'], 'unknown option: --tset'],
    [['now'], 'unknown option: now'],
    [['--target'], '--target needs a value'],
    [['--target', 'linux'], 'unknown target: linux'],
    [['--target=bun-solaris-x64'], 'unknown target: bun-solaris-x64'],
    [['--target', 'bun-linux-x64', '--test'], "--target and --test can't be combined"],
    [['--test', '--store', 'mysql'], 'unknown store: mysql'],
    [['--store', 'postgres'], '--store says where tests keep their data: it needs --test'],
    [['--test', '--store'], '--store needs a value'],
    [['--release'], '--release needs a version'],
    [
      ['--release', '1.2.3', '--target', 'bun-linux-x64'],
      "--target and --release can't be combined",
    ],
  ])('refuses %p, names what is wrong and shows the usage', async (args, message) => {
    const { stdout, stderr, exitCode } = await run(script, args)
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(message)
    expect(stderr).toContain('Usage: ./compile.sh')
  })

  test('says what to install where there is neither npm nor Bun', async () => {
    using folder = createTempDir('a path with spaces')
    const copy = folder.join('compile.sh')
    for (const name of ['compile.sh', 'package.json', 'bun.lock'])
      copyFileSync(join(project, name), folder.join(name))
    mkdirSync(folder.join('bin'))
    for (const tool of ['sh', 'dirname', 'sed', 'head', 'cmp', 'cat', 'uname'])
      symlinkSync(Bun.which(tool, { PATH: '/usr/bin:/bin' }) ?? tool, folder.join('bin', tool))
    const { stderr, exitCode } = await run(copy, [], { PATH: folder.join('bin') })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('install Node.js')
    expect(stderr).toContain('or Bun')

    writeFileSync(folder.join('package.json'), '{}')
    const unpinned = await run(copy, [], { PATH: folder.join('bin') })
    expect(unpinned.exitCode).toBe(1)
    expect(unpinned.stderr).toContain('package.json names no Bun version')
  })

  test('locks versions and checksums, but no registry', () => {
    expect(readFileSync(join(project, 'bun.lock'), 'utf8')).not.toContain('://')
  })
})
