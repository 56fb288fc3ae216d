import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A fresh folder outside the project; `using` or `remove()` deletes it with all it holds. */
export function createTempDir(name = 'tollgate-test'): TempDir {
  const path = mkdtempSync(join(tmpdir(), `${name}-`))
  const remove = () => rmSync(path, { recursive: true, force: true })
  return {
    path,
    join: (...parts) => join(path, ...parts),
    remove,
    [Symbol.dispose]: remove,
  }
}

/** A folder for one test. */
export interface TempDir extends Disposable {
  readonly path: string
  join(...parts: string[]): string
  remove(): void
}
