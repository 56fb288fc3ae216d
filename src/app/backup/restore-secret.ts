import { existsSync } from 'node:fs'
import type { SealedKey } from '../../store/ports/copies.ts'
import { UserError } from '../instance.ts'
import { closedTo, readSecretFile, readSecretVariable, secretFileOf, someOf } from './secret.ts'

/**
 * What opens the keys of a restored database: TOLLGATE_SECRET, the secret file that was in its
 * place, the one that lay beside the backup, or nothing because there are no keys.
 */
export type RestoreSecret = (
  | { readonly status: 'environment' }
  | { readonly status: 'none' }
  | { readonly status: 'there' | 'brought'; readonly file: string }
) & {
  /** What the operator should put right; null when nothing. */
  readonly warning: string | null
}

interface SecretSearch {
  readonly file: string
  readonly database: string
  readonly keys: readonly SealedKey[]
}

/** Chooses as the gateway will, and throws, with the way out, when that opens none of the keys. */
export function findSecret({ file, database, keys }: SecretSearch): RestoreSecret {
  const beside = secretFileOf(file)
  const inPlace = secretFileOf(database)
  const opensBeside = () => {
    const secret = existsSync(beside) ? readSecretFile(beside) : undefined
    return secret !== undefined && opensSome(secret, keys)
  }

  const env = readSecretVariable()
  if (env !== undefined) {
    const warning = judge(env, keys, {
      called: 'TOLLGATE_SECRET',
      wayOut: opensBeside()
        ? `Unset it: ${beside} opens them.`
        : 'Set it to the secret that the backup was made with.',
    })
    return { status: 'environment', warning }
  }
  if (existsSync(inPlace)) {
    const warning = judge(readSecretFile(inPlace) ?? '', keys, {
      called: inPlace,
      wayOut: opensBeside()
        ? `Move it away: ${beside} opens them, and will be copied there.`
        : 'Put the secret file of this backup there instead, or set TOLLGATE_SECRET.',
    })
    return { status: 'there', file: inPlace, warning }
  }
  if (existsSync(beside)) {
    const warning = judge(readSecretFile(beside) ?? '', keys, {
      called: beside,
      wayOut: 'Put the secret file of this backup there instead, or set TOLLGATE_SECRET.',
    })
    return { status: 'brought', file: beside, warning }
  }
  if (keys.length === 0) return { status: 'none', warning: null }
  throw new UserError(
    `There is no secret for the keys in ${file} (${someOf(keys.map(({ owner }) => owner))}). Put ` +
      `its secret file at ${beside}, or set TOLLGATE_SECRET to the secret that it was made with.`,
  )
}

interface Judged {
  readonly called: string
  readonly wayOut: string
}

/** Gives a warning when some keys stay closed; all of them closed is another database's secret. */
function judge(
  secret: string,
  keys: readonly SealedKey[],
  { called, wayOut }: Judged,
): string | null {
  const closed = closedTo(secret, keys)
  if (closed.length === 0) return null
  if (closed.length === keys.length)
    throw new UserError(
      `${called} does not open the keys in the backup (${someOf(closed)}): it is the secret of ` +
        `another database. ${wayOut}`,
    )
  return `${called} does not open the keys of ${someOf(closed)}: set them anew.`
}

const opensSome = (secret: string, keys: readonly SealedKey[]) =>
  closedTo(secret, keys).length < keys.length
