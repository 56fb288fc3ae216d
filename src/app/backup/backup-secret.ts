import { existsSync } from 'node:fs'
import { removeLeftBehind } from '../../lib/draft-file.ts'
import type { SealedKey } from '../../store/ports/copies.ts'
import { UserError } from '../instance.ts'
import {
  closedTo,
  copySecretFile,
  isSameContent,
  readSecretFile,
  readSecretVariable,
  secretFileOf,
  someOf,
} from './secret.ts'

/**
 * What became of the secret: copied beside the backup, left out as asked for, not in a file but in
 * TOLLGATE_SECRET, or nowhere to be found.
 */
export interface BackupSecret {
  readonly status: 'copied' | 'left_out' | 'environment' | 'missing'
  /** The file that opens the keys in the backup and must be kept with it; null: there is none. */
  readonly file: string | null
  /** What the operator should put right; null when nothing. */
  readonly warning: string | null
}

/** Decided before the copy begins, done when it is whole. */
export interface SecretPlan {
  /** Tries the secret on keys of the copy: one that opens none is told of. */
  try(keys: readonly SealedKey[]): void
  place(): Promise<void>
  outcome(): BackupSecret
}

interface PlanOptions {
  readonly database: string
  readonly file: string
  readonly withSecret: boolean
}

/** Throws when another secret lies where this one is to be: not even `--force` replaces that. */
export function createSecretPlan({ database, file, withSecret }: PlanOptions): SecretPlan {
  const own = secretFileOf(database)
  const target = secretFileOf(file)
  const env = readSecretVariable()
  const secret = env ?? readSecretFile(own)
  const status = statusOf(env, secret, withSecret)
  const isThere = isSameContent(own, target)
  if (status === 'copied' && existsSync(target) && !isThere) throw anotherSecret(target)
  let warning = secret === undefined ? withoutSecret(own) : null

  return {
    try(keys) {
      if (secret === undefined) return
      const closed = closedTo(secret, keys)
      if (closed.length === 0) return
      warning =
        `${env === undefined ? own : 'TOLLGATE_SECRET'} does not open the keys of ` +
        `${someOf(closed)}: find the secret that they were made with and keep it with the backup.`
    },
    async place() {
      if (status !== 'copied') return
      // An earlier backup may have been killed when its secret was in place, but for its draft.
      if (isThere) return removeLeftBehind(target)
      if ((await copySecretFile(own, target)) === 'taken') throw anotherSecret(target)
    },
    outcome: () => ({ status, file: status === 'copied' ? target : null, warning }),
  }
}

function statusOf(env: string | undefined, secret: string | undefined, withSecret: boolean) {
  if (env !== undefined) return 'environment'
  if (!withSecret) return 'left_out'
  return secret === undefined ? 'missing' : 'copied'
}

const anotherSecret = (target: string) =>
  new UserError(
    `${target} is there already and holds another secret, which may be all that opens an older ` +
      'backup. Move it away, give another path, or leave the secret out (--no-secret).',
  )

const withoutSecret = (own: string) =>
  `There is no ${own}, and TOLLGATE_SECRET is not set here: the keys in this backup can be opened ` +
  'only with the secret that the gateway runs with. Keep it with the backup.'
