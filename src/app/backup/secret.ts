import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createDraftFile } from '../../lib/draft-file.ts'
import { createSecretBox, loadSecret } from '../../lib/secrets.ts'
import type { SealedKey } from '../../store/ports/copies.ts'
import { UserError } from '../instance.ts'

/** Where a database's secret lies when it is not in the environment. */
export const secretFileOf = (database: string): string => `${database}.secret`

/** The value of TOLLGATE_SECRET; undefined when it is not set, or empty. */
export const secretOfEnvironment = (): string | undefined =>
  process.env.TOLLGATE_SECRET || undefined

/** The secret in a file; undefined when there is none. Throws when it is none that could be used. */
export function readSecretFile(file: string): string | undefined {
  return existsSync(file) ? usable(() => loadSecret({ env: undefined, file })) : undefined
}

/** The same for TOLLGATE_SECRET. */
export function readSecretVariable(): string | undefined {
  const env = secretOfEnvironment()
  // With a variable no file is asked for.
  return env === undefined ? undefined : usable(() => loadSecret({ env, file: '' }))
}

function usable(load: () => { readonly secret: string }): string {
  try {
    return load().secret
  } catch (cause) {
    throw new UserError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Whose keys a secret can't open. */
export function closedTo(secret: string, keys: readonly SealedKey[]): readonly string[] {
  const box = createSecretBox(secret)
  const opens = ({ sealed }: SealedKey) => {
    try {
      return box.open(sealed) !== undefined
    } catch {
      return false // sealed with another secret, or damaged: that is what is asked
    }
  }
  return keys.filter((key) => !opens(key)).map(({ owner }) => owner)
}

/** Throws when the secret of a database opens none of its keys: to serve from it is no use. */
export function requireOpened(database: string, keys: readonly SealedKey[]): void {
  const file = secretFileOf(database)
  const secret = readSecretVariable() ?? readSecretFile(file)
  const closed = closedTo(secret ?? 'there is none', keys)
  if (closed.length === 0 || closed.length < keys.length) return
  throw new UserError(
    `The keys in ${database} (${someOf(closed)}) can't be opened: ` +
      `${secret === undefined ? 'there is no secret' : 'they were sealed with another secret'}. Put ` +
      `the one that the database was made with at ${file}, or set TOLLGATE_SECRET.`,
  )
}

/** The first few of many names. */
export const someOf = (names: readonly string[]): string =>
  names.length <= 3
    ? names.join(', ')
    : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`

/** Copies a secret file, for its owner's eyes only. A file that is there stays: `taken`. */
export async function copySecretFile(from: string, to: string): Promise<'placed' | 'taken'> {
  const draft = createDraftFile(to)
  try {
    await writeFile(draft.path, readFileSync(from))
    return await draft.place({ replace: false })
  } finally {
    draft.discard()
  }
}

/** Whether two files hold the same; false when either is missing. */
export const isSameContent = (a: string, b: string): boolean =>
  existsSync(a) && existsSync(b) && readFileSync(a).equals(readFileSync(b))
