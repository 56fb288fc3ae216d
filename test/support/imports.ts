import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const project = join(import.meta.dir, '../..')
const scanner = new Bun.Transpiler({ loader: 'ts' })
const known = new Map<string, readonly string[]>()

/** The files of `test/` that a file itself imports; paths begin at the project's folder. */
function directImports(file: string): readonly string[] {
  const found = known.get(file)
  if (found) return found
  const paths = scanner
    .scanImports(readFileSync(join(project, file), 'utf8'))
    .map(({ path }) => join(dirname(file), path))
    .filter((path) => path.startsWith('test/') && path.endsWith('.ts'))
  known.set(file, paths)
  return paths
}

/** Everything of `test/` that a file imports, also through others. */
export function importsOf(file: string): ReadonlySet<string> {
  const all = new Set(directImports(file))
  for (const path of all) for (const more of directImports(path)) all.add(more)
  return all
}
