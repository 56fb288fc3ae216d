import { existsSync } from 'node:fs'
import type { SealedKey } from '../../store/ports/copies.ts'
import {
  closedTo,
  isSameContent,
  readSecretFile,
  readSecretVariable,
  secretFileOf,
  someOf,
} from '../backup/secret.ts'
import { UserError } from '../instance.ts'
import type { StorePlace } from './place.ts'

/** What opens the keys in the new place, which are moved as they are. */
export interface MoveSecret {
  /** `none`: there are no keys yet. */
  readonly status: 'environment' | 'file' | 'none'
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
  return { status: 'file', file: file ?? null, advice: adviceFor(String(file), target), warning }
}

const keepVariable =
  'Start every gateway that serves from the new place with the same TOLLGATE_SECRET.'

function adviceFor(file: string, target: StorePlace): string | null {
  if (target.engine === 'postgres')
    return `Start every gateway that serves from the new place with TOLLGATE_SECRET set to what is in ${file}.`
  const own = secretFileOf(target.path)
  if (file === own || isSameContent(file, own)) return null
  if (existsSync(own))
    throw new UserError(
      `${own} holds another secret than ${file}: move it away, for it would not open the keys.`,
    )
  return `Copy ${file} to ${own} before you serve from the new place.`
}
