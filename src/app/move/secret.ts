import { existsSync } from 'node:fs'
import type { SealedKey } from '../../store/ports/copies.ts'
import {
  closedTo,
  copySecretFile,
  isSameContent,
  readSecretFile,
  readSecretVariable,
  secretFileOf,
  someOf,
} from '../backup/secret.ts'
import { UserError } from '../instance.ts'
import type { StorePlace } from './rows.ts'

/** What opens the keys in the new place, which are moved as they are. */
export interface MoveSecret {
  /** `copied`: the file is put beside the new place. `none`: there are no keys yet. */
  readonly status: 'environment' | 'file' | 'copied' | 'none'
  /** The file that it was found in. */
  readonly file: string | null
  /** What is to be done before one serves from the new place. */
  readonly advice: string | null
  /** What the operator should put right; null when nothing. */
  readonly warning: string | null
}

interface SecretSearch {
  readonly source: StorePlace
  readonly target: StorePlace
  readonly keys: readonly SealedKey[]
}

/**
 * Finds the secret of a store that is moved, and tries it. Throws `UserError` when there is none, or
 * one that opens nothing: whoever serves from the new place would have no keys.
 */
export function findMoveSecret({ source, target, keys }: SecretSearch): MoveSecret {
  const env = readSecretVariable()
  const files = [source, target].flatMap((place) =>
    place.engine === 'sqlite' ? [secretFileOf(place.path)] : [],
  )
  const file = files.find((path) => existsSync(path))
  const secret = env ?? (file === undefined ? undefined : readSecretFile(file))
  if (secret === undefined) {
    if (keys.length === 0) return { status: 'none', file: null, advice: null, warning: null }
    throw new UserError(
      'There is no secret for the keys that are to be moved: set TOLLGATE_SECRET to the one that ' +
        'the gateway runs with.',
    )
  }
  const called = env === undefined ? String(file) : 'TOLLGATE_SECRET'
  const closed = closedTo(secret, keys)
  if (closed.length > 0 && closed.length === keys.length)
    throw new UserError(
      `${called} does not open the keys that are to be moved (${someOf(closed)}): set ` +
        'TOLLGATE_SECRET to the secret that they were made with.',
    )
  const warning =
    closed.length === 0 ? null : `${called} does not open the keys of ${someOf(closed)}.`
  if (env !== undefined) return { status: 'environment', file: null, advice: keepVariable, warning }
  const found = String(file)
  if (target.engine === 'postgres')
    return {
      status: 'file',
      file: found,
      advice: `${keepVariable} It is what is in ${found}.`,
      warning,
    }
  const own = secretFileOf(target.path)
  if (existsSync(own) && !isSameContent(found, own)) throw anotherSecret(own, found)
  return { status: existsSync(own) ? 'file' : 'copied', file: found, advice: null, warning }
}

/** Puts a secret file beside the new place, where one belongs and is not yet. */
export async function placeSecret({ status, file }: MoveSecret, target: StorePlace): Promise<void> {
  if (status !== 'copied' || file === null || target.engine !== 'sqlite') return
  const own = secretFileOf(target.path)
  if ((await copySecretFile(file, own)) === 'taken') throw anotherSecret(own, file)
}

const anotherSecret = (own: string, file: string) =>
  new UserError(
    `${own} holds another secret than ${file}: move it away, for it opens none of the keys.`,
  )

const keepVariable =
  'Start every gateway that serves from the new place with the same TOLLGATE_SECRET.'
