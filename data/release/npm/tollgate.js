#!/usr/bin/env node
// Runs the program for this system, which npm has put beside this package.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { constants } from 'node:os'

const { platform, arch, execve } = process
const names = [`@tollgate/${platform}-${arch}`, `@tollgate/${platform}-${arch}-musl`]
const found = names.map(find).filter((path) => path !== undefined)
// What does not know libc, like npm before version 10, installs both.
const program = found.length > 1 && usesMusl() ? found[1] : found[0]
if (program === undefined) {
  process.stderr.write(
    `tollgate: npm has installed no program for ${platform}-${arch}. Programs are optional dependencies: install ` +
      'again without --omit=optional (or --no-optional). Where there is none for this system, build it from the source.\n',
  )
  process.exit(1)
}
const words = process.argv.slice(2)
// Where Node can, this process becomes the program: signals reach it, and its end is this one's.
if (execve && platform !== 'win32') execve(program, [program, ...words], process.env)

const child = spawn(program, words, { stdio: 'inherit' })
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// A terminal sends it to both, and a second one would cut open streams.
process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
child.on('error', (error) => {
  process.stderr.write(`tollgate: ${program} can't be run: ${error.message}\n`)
  process.exit(1)
})
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))

function usesMusl() {
  // Without this it looks up the names of all peers.
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime === undefined
}

function find(name) {
  try {
    const file = platform === 'win32' ? 'tollgate.exe' : 'tollgate'
    return createRequire(import.meta.url).resolve(`${name}/${file}`)
  } catch {
    return undefined
  }
}
