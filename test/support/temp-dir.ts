import { spawn } from 'node:child_process'
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

/** Removes a folder when this process is gone, however it went; "bun test" tells nobody of its end. */
export function removeLater(path: string): void {
  const text = 'while kill -0 "$1" 2>/dev/null; do sleep 0.5; done; sleep 1; rm -rf "$0"'
  const words = ['-c', text, path, String(process.pid)]
  spawn('sh', words, { detached: true, stdio: 'ignore' }).unref()
}
