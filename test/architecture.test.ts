import { expect, test } from 'bun:test'
import { dirname, join, normalize } from 'node:path'
import { Glob } from 'bun'

// ARCHITECTURE.md says in a table which room may import which, and which packages it must not: this
// holds every import of the source against it.

const root = join(import.meta.dir, '..')

interface Room {
  /** Paths from the project's folder. */
  readonly paths: readonly string[]
  readonly allowed: readonly string[]
  readonly isAllowedAllBut: boolean
  readonly allowedTypes: readonly string[]
  readonly refusedPackages: readonly string[]
}

const readText = (path: string) => Bun.file(join(root, path)).text()

const wordsOf = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => `${word}`)

function readRooms(text: string): readonly Room[] {
  const rows = text.split('\n').filter((line) => line.startsWith('| `src/'))
  return rows.map((row) => {
    const [, names = '', , imports = '', packages = ''] = row.split('|')
    const [values = '', types = ''] = imports.split('types of')
    return {
      paths: wordsOf(names),
      allowed: wordsOf(values),
      isAllowedAllBut: values.includes('all but'),
      allowedTypes: wordsOf(types),
      refusedPackages: wordsOf(packages),
    }
  })
}

const rooms = readRooms(await readText('ARCHITECTURE.md'))

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

/** The room with the longest path: `src/store/ports` has a row beside `src/store`. */
function roomOf(path: string): Room | undefined {
  const within = rooms.flatMap((room) => room.paths.map((folder) => ({ room, folder })))
  const fitting = within.filter(({ folder }) => isWithin(path, folder))
  return fitting.sort((a, b) => b.folder.length - a.folder.length)[0]?.room
}

const importing =
  /^(?:import|export)\b(?<isType>\s+type\b)?[^'";]*?(?:from\s+)?'(?<static>[^']+)'|(?<isTypeOf>typeof\s+)?\bimport\('(?<dynamic>[^']+)'\)/gm

function mayImport(path: string, target: string, isType: boolean): boolean {
  const room = roomOf(path)
  if (!target.startsWith('.')) {
    const isRefused = (name: string) =>
      name.endsWith(':')
        ? target.startsWith(name)
        : target === name || target.startsWith(`${name}:`)
    return isType || !(room?.refusedPackages.some(isRefused) ?? false)
  }
  const imported = normalize(join(dirname(path), target))
  if (room === undefined || !imported.startsWith('src/') || roomOf(imported) === room) return true
  const isNamed = (names: readonly string[]) =>
    names.some((name) => isWithin(imported, `src/${name}`))
  if (isType && isNamed(room.allowedTypes)) return true
  return room.isAllowedAllBut ? !isNamed(room.allowed) : isNamed(room.allowed)
}

test('each file imports what the table of rooms in ARCHITECTURE.md allows', async () => {
  expect(rooms.length).toBeGreaterThan(10)
  const wrong: string[] = []
  let imports = 0
  for (const path of new Glob('src/*/**/*.{ts,tsx}').scanSync(root)) {
    if (roomOf(path) === undefined) wrong.push(`${path} is in no room`)
    const text = await readText(path)
    for (const { groups } of text.matchAll(importing)) {
      const target = groups?.static ?? groups?.dynamic ?? ''
      const isType = groups?.isType !== undefined || groups?.isTypeOf !== undefined
      imports++
      if (!mayImport(path, target, isType)) wrong.push(`${path} imports ${target}`)
    }
  }
  expect(wrong).toEqual([])
  expect(imports).toBeGreaterThan(1_000)
})

/** The first cycle of imports that is found below a file, as a path; `done`: files without one. */
function cycleFrom(
  file: string,
  imports: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
  way: readonly string[] = [],
): readonly string[] | undefined {
  if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
  if (done.has(file)) return undefined
  for (const next of imports.get(file) ?? []) {
    const cycle = cycleFrom(next, imports, done, [...way, file])
    if (cycle) return cycle
  }
  done.add(file)
  return undefined
}

const scanners = {
  ts: new Bun.Transpiler({ loader: 'ts' }),
  tsx: new Bun.Transpiler({ loader: 'tsx' }),
}

// The linter has a rule for it, which takes longer than all of its others.
test('no file imports itself by way of others, but for types', async () => {
  const imports = new Map<string, readonly string[]>()
  for (const path of new Glob('{src,test,data}/**/*.{ts,tsx}').scanSync(root)) {
    const found = scanners[path.endsWith('x') ? 'tsx' : 'ts'].scanImports(await readText(path))
    const ours = found.map((one) => one.path).filter((target) => target.startsWith('.'))
    const files = ours.map((target) => normalize(join(dirname(path), target)))
    imports.set(path, files)
  }
  const done = new Set<string>()
  const cycles = [...imports.keys()].flatMap((path) => [cycleFrom(path, imports, done) ?? []])
  expect(cycles.filter((cycle) => cycle.length > 0)).toEqual([])
  expect(done.size).toBeGreaterThan(1_000)
})
