import { join } from 'node:path'
import { runBinary } from '../support/binary.ts'
import type { Random } from '../support/made-usage.ts'
import { openTables, type Tables } from '../support/tables.ts'
import { poorEmail } from './gateway.ts'

/** What a credit adds, in USD. */
const creditUsd = 0.2

/** Credits the poor account beside whatever runs; true when the command says that it is done. */
export async function credit(folder: string, key: string): Promise<boolean> {
  const file = join(folder, 'tollgate.yaml')
  const words = ['account', 'credit', poorEmail, String(creditUsd), '--reason', key, '--key', key]
  const { exitCode } = await runBinary([...words, '--config', file], { cwd: folder })
  return exitCode === 0
}

/** What `tollgate verify` finds wrong, beside whatever runs; undefined when it finds nothing. */
export async function verify(folder: string): Promise<string | undefined> {
  const file = join(folder, 'tollgate.yaml')
  const { exitCode, stdout, stderr } = await runBinary(['verify', '--config', file])
  return exitCode === 0 ? undefined : `verify ended with ${exitCode}: ${stdout}${stderr}`
}

/** Holds the write lock now and then for some milliseconds, as a busy command does. */
export async function lockNowAndThen(
  folder: string,
  random: Random,
  isOver: () => boolean,
): Promise<void> {
  await using tables = openTables(folder)
  while (!isOver()) {
    const lock = await tryLock(tables)
    if (lock) {
      await Bun.sleep(random() * 50)
      await lock[Symbol.asyncDispose]()
    }
    await Bun.sleep(random() * 20)
  }
}

async function tryLock(tables: Tables): Promise<AsyncDisposable | undefined> {
  try {
    return await tables.lock()
  } catch {
    return undefined // the gateway is writing at this moment
  }
}
