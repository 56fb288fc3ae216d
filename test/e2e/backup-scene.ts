import { Database } from 'bun:sqlite'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { binaryPath, requireBinary } from '../support/binary.ts'

/** One column of the first row. */
export function readOne(path: string, sql: string): unknown {
  const db = new Database(path, { readonly: true })
  try {
    return Object.values((db.query(sql).get() ?? {}) as object)[0]
  } finally {
    db.close()
  }
}

/** All rows. */
export function readAll<Row>(path: string, sql: string): Row[] {
  const db = new Database(path, { readonly: true })
  try {
    return db.query(sql).all() as Row[]
  } finally {
    db.close()
  }
}

/**
 * Makes a database of a stopped gateway large: uncharged requests with long usage reports, so that
 * copying it takes long enough to be interrupted. About 4 KB each.
 */
export function enlarge(path: string, requests: number): void {
  const db = new Database(path)
  db.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO request (request_id, created_at, account_id, token_id, group_id, client_protocol,
       operation, stream, status, ending, input_tokens, output_tokens, reasoning_tokens,
       cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, calls, estimated, clamped,
       usage_raw, long_context_pricing, multiplier_millionths, amount_nano, duration_ms)
     SELECT 'old_' || i, i, 1, 1, 1, 'chat', 'completions', 0, 200, 'complete', 0, 0, 0, 0, 0, 0, 0,
       0, 0, hex(randomblob(2000)), 1, 1000000, 0, 1 FROM n`,
    [requests],
  )
  db.close()
}

/** Starts the binary in a folder and leaves it running. */
export function startCommand(cwd: string, args: readonly string[]) {
  return Bun.spawn([requireBinary(), ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

/** How long a command takes, in milliseconds: the least of three turns. */
export async function leastMs(cwd: string, argsOf: (turn: number) => readonly string[]) {
  const took: number[] = []
  for (const turn of [1, 2, 3]) {
    const args = argsOf(turn)
    const startedAt = performance.now()
    const command = startCommand(cwd, args)
    if ((await command.exited) !== 0) throw new Error(await command.stderr.text())
    took.push(performance.now() - startedAt)
  }
  return Math.min(...took)
}

/** Starts a backup that has written so many bytes; again, where it was over before that was seen. */
export async function startBackup(cwd: string, path: string, writtenBytes: number) {
  for (let tried = 0; tried < 5; tried++) {
    const command = startCommand(cwd, ['backup', path])
    const sizeOf = (draft: string) =>
      statSync(join(dirname(path), draft), { throwIfNoEntry: false })?.size ?? 0
    while (command.exitCode === null) {
      if (draftsIn(dirname(path)).some((draft) => sizeOf(draft) > writtenBytes)) return command
      await Bun.sleep(1)
    }
    for (const made of [path, `${path}.secret`]) rmSync(made, { force: true })
  }
  throw new Error(`No backup was caught at work on ${path}.`)
}

/** Runs the binary where no file may grow beyond so many blocks of 512 bytes. */
export function startLimited(cwd: string, args: readonly string[], blocks: number) {
  // The signal of the limit is ignored, so that writing fails as it does on a full disk.
  const command = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`
  return Bun.spawn(['sh', '-c', command, binaryPath, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

/** Drafts of a file that were left in a folder. */
export const draftsIn = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => /^\..*\.tmp/.test(name))

/** What a file is: not there, or SQLite's own judgement. */
export function stateOf(folder: string, name: string): 'absent' | 'whole' | string {
  const path = join(folder, name)
  if (!existsSync(path)) return 'absent'
  const judged = String(readOne(path, 'PRAGMA integrity_check'))
  return judged === 'ok' ? 'whole' : judged
}
