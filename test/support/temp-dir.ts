import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from '../../src/lib/once.ts'

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

/** Reads folders until this process is gone, which ends its input; waits for those who have files open. */
const remover = once(() => {
  const text = 'while IFS= read -r path; do set -- "$@" "$path"; done; sleep 1; rm -rf -- "$@"'
  const child = spawn('sh', ['-c', text, 'sh'], {
    ...{ detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  })
  child.unref()
  return child
})

/** Removes a folder when this process is gone, however it went; "bun test" tells nobody of its end. */
export function removeLater(path: string): void {
  remover().stdin?.write(`${path}\n`)
}
