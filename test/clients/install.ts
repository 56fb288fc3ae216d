import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, packages } from './clients.ts'

// Where the clients lie: one folder for each language (Python: each environment) below a folder that
// is outside of the project. Registries are what npm, pip, go and mvn are set up for.

const programs = join(import.meta.dir, 'programs')
const filesOf = (ending: string) => readdirSync(programs).filter((name) => name.endsWith(ending))

/** Installs all clients below `folder`. Throws with what the installer said when one fails. */
export async function install(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const npm = ['npm', 'install', '--no-audit', '--no-fund', '--prefix', place(folder, 'js')]
  await run([...npm, ...packages.npm])
  for (const [home, names] of Object.entries(packages.pip)) {
    await run(['python3', '-m', 'venv', join(folder, home)])
    await run([join(folder, home, 'bin/pip'), 'install', '--quiet', ...names])
  }
  const go = place(folder, 'go')
  if (!existsSync(join(go, 'go.mod'))) await run(['go', 'mod', 'init', 'clients'], go)
  await run(['go', 'get', ...packages.go], go)
  const java = place(folder, 'java')
  writeFileSync(join(java, 'pom.xml'), pom())
  const copy = ['dependency:copy-dependencies', '-DoutputDirectory=jars']
  await run(['mvn', '--quiet', '--batch-mode', ...copy], java)
}

/** Puts the programs beside what they import, and builds those that are built. */
export async function build(folder: string): Promise<void> {
  for (const name of filesOf('.mjs')) cpSync(join(programs, name), join(folder, 'js', name))
  const go = join(folder, 'go')
  for (const name of filesOf('.go')) cpSync(join(programs, name), join(go, name))
  await run(['go', 'mod', 'tidy'], go)
  for (const name of filesOf('.go').filter((name) => name !== 'support.go')) {
    const output = join('bin', name.replace('.go', ''))
    await run(['go', 'build', '-o', output, name, 'support.go'], go)
  }
  const sources = filesOf('.java').map((name) => join(programs, name))
  const classes = place(folder, 'java/classes')
  await run(['javac', '-nowarn', '-cp', join(folder, 'java/jars/*'), '-d', classes, ...sources])
}

/** The command that runs a client's program. */
export function commandOf({ program, home = 'python' }: Client, folder: string): string[] {
  const [name = '', language] = program.split('.')
  if (language === 'mjs') return ['node', join(folder, 'js', program)]
  if (language === 'py') return [join(folder, home, 'bin/python'), join(programs, program)]
  if (language === 'go') return [join(folder, 'go/bin', name)]
  const path = `${join(folder, 'java/classes')}:${join(folder, 'java/jars/*')}`
  return ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', path, name]
}

/** The packages of a client with the versions that are installed. */
export async function versionsOf(client: Client, folder: string): Promise<string> {
  const versions = await Promise.all(
    client.packages.map(async (name) => `${name} ${await versionOf(client, name, folder)}`),
  )
  return versions.join(', ')
}

async function versionOf({ program, home = 'python' }: Client, name: string, folder: string) {
  const language = program.split('.')[1]
  if (language === 'mjs') {
    const read = await Bun.file(join(folder, 'js/node_modules', name, 'package.json')).json()
    return String(read.version)
  }
  if (language === 'go')
    return await run(['go', 'list', '-m', '-f', '{{.Version}}', name], join(folder, 'go'))
  if (language === 'java') {
    const jar = readdirSync(join(folder, 'java/jars')).find(
      (file) => file.startsWith(`${name}-`) && /\d/.test(file[name.length + 1] ?? ''),
    )
    return jar?.slice(name.length + 1, -'.jar'.length) ?? 'not installed'
  }
  const code = `from importlib.metadata import version; print(version(${JSON.stringify(name)}))`
  return await run([join(folder, home, 'bin/python'), '-c', code])
}

function pom(): string {
  const dependencies = packages.maven.map((name) => {
    const [group, artifact, version] = name.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`
  })
  const own = '<groupId>clients</groupId><artifactId>clients</artifactId><version>1</version>'
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>${own}<dependencies>${dependencies.join('')}</dependencies></project>\n`
}

function place(folder: string, name: string): string {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true })
  return path
}

/** Runs an installer or a compiler to its end; gives what it wrote. */
async function run(command: readonly string[], cwd?: string): Promise<string> {
  const child = Bun.spawn([...command], { ...(cwd && { cwd }), stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(' ')} … failed:\n${out}${err}`)
  return out.trim()
}
