import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createDraftFile, removeStaleDrafts } from '../../lib/draft-file.ts'
import { messageOf } from '../../lib/failure.ts'
import { createSecretBox, loadSecret } from '../../lib/secrets.ts'
import type { SealedKey } from '../../store/ports/copies.ts'
import type { StorePlace } from '../move/rows.ts'
import { UserError } from '../user-error.ts'

/** The secret's file when TOLLGATE_SECRET is not set. */
export const secretFileOf = (database: string): string => `${database}.secret`

/** The secret in a file; undefined: no file. Throws when its content is no secret. */
const readSecretFile = (file: string): string | undefined =>
  existsSync(file) ? usable(undefined, file) : undefined

const readSecretVariable = (): string | undefined =>
  process.env.TOLLGATE_SECRET ? usable(process.env.TOLLGATE_SECRET, '') : undefined

function usable(env: string | undefined, file: string): string {
  try {
    return loadSecret({ env, file }).secret
  } catch (cause) {
    throw new UserError(messageOf(cause), { cause })
  }
}

/** Owners of the keys that a secret can't open. */
function closedTo(secret: string, keys: readonly SealedKey[]): readonly string[] {
  const box = createSecretBox(secret)
  const opens = ({ sealed }: SealedKey) => {
    try {
      return box.open(sealed) !== undefined
    } catch {
      return false // sealed with another secret, or damaged
    }
  }
  return keys.filter((key) => !opens(key)).map(({ owner }) => owner)
}

/** Throws when the secret of a database opens none of its keys. */
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

const someOf = (names: readonly string[]): string =>
  names.length <= 3
    ? names.join(', ')
    : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`

/** Copies a secret file, readable by its owner only; `taken`: a file exists there. */
export async function copySecretFile(from: string, to: string): Promise<'placed' | 'taken'> {
  const draft = createDraftFile(to)
  try {
    await writeFile(draft.path, readFileSync(from))
    return await draft.place({ replace: false })
  } finally {
    draft.discard()
  }
}

const isSameContent = (a: string, b: string): boolean =>
  existsSync(a) && existsSync(b) && readFileSync(a).equals(readFileSync(b))

export interface BackupSecret {
  readonly status: 'copied' | 'left_out' | 'environment' | 'missing'
  readonly file: string | null
  /** What the operator should fix; null: nothing. */
  readonly warning: string | null
}

/** Decided before the copy begins, carried out when it is complete. */
export interface SecretPlan {
  /** Tries the secret on keys of the copy; the outcome warns of keys that it does not open. */
  try(keys: readonly SealedKey[]): void
  place(): Promise<void>
  outcome(): BackupSecret
}

/** Throws when another secret exists at the target: not even `--force` replaces it. */
export function createSecretPlan(database: string, file: string, withSecret: boolean): SecretPlan {
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
      // An earlier backup may have been killed after its secret was placed, which leaves its draft.
      if (isThere) return removeStaleDrafts(target)
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

/** Which secret opens the keys of a restored database. */
export type RestoreSecret = (
  | { readonly status: 'environment' }
  | { readonly status: 'none' }
  | { readonly status: 'there' | 'brought'; readonly file: string }
) & {
  readonly warning: string | null
}

/** Chooses the secret as the gateway will. Throws, with the way out, when it opens no key. */
export function findSecret(
  file: string,
  database: string,
  keys: readonly SealedKey[],
): RestoreSecret {
  const beside = secretFileOf(file)
  const inPlace = secretFileOf(database)
  const besideSecret = readSecretFile(beside)
  const opensBeside =
    besideSecret !== undefined && closedTo(besideSecret, keys).length < keys.length
  const judged = (secret: string, called: string, wayOut: string) =>
    judge(secret, keys, {
      called,
      which: 'in the backup',
      wayOut: `: it is the secret of another database. ${wayOut}`,
      advice: ': set them again',
    })
  const env = readSecretVariable()
  if (env !== undefined) {
    const wayOut = opensBeside
      ? `Unset it: ${beside} opens them.`
      : 'Set it to the secret that the backup was made with.'
    return { status: 'environment', warning: judged(env, 'TOLLGATE_SECRET', wayOut) }
  }
  const putThere = 'Put the secret file of this backup there instead, or set TOLLGATE_SECRET.'
  const secret = readSecretFile(inPlace)
  if (secret !== undefined) {
    const moveAway = `Move it away: ${beside} opens them, and will be copied there.`
    const warning = judged(secret, inPlace, opensBeside ? moveAway : putThere)
    return { status: 'there', file: inPlace, warning }
  }
  if (besideSecret !== undefined)
    return { status: 'brought', file: beside, warning: judged(besideSecret, beside, putThere) }
  if (keys.length === 0) return { status: 'none', warning: null }
  throw new UserError(
    `There is no secret for the keys in ${file} (${someOf(keys.map(({ owner }) => owner))}). Put ` +
      `its secret file at ${beside}, or set TOLLGATE_SECRET to the secret that it was made with.`,
  )
}

interface Judged {
  readonly called: string
  readonly which: string
  /** Follows when it opens none. */
  readonly wayOut: string
  /** Follows when it opens only some. */
  readonly advice: string
}

/** Warns when some keys stay closed; throws when all do: it is another database's secret. */
function judge(secret: string, keys: readonly SealedKey[], judged: Judged): string | null {
  const { called, which, wayOut, advice } = judged
  const closed = closedTo(secret, keys)
  if (closed.length === 0) return null
  if (closed.length === keys.length)
    throw new UserError(`${called} does not open the keys ${which} (${someOf(closed)})${wayOut}`)
  return `${called} does not open the keys of ${someOf(closed)}${advice}.`
}

/** What opens the keys of a moved database. */
export interface MoveSecret {
  /** `copied`: the file is copied beside the new place. `none`: there are no keys yet. */
  readonly status: 'environment' | 'file' | 'copied' | 'none'
  readonly file: string | null
  /** What to do before a gateway serves from the new place. */
  readonly advice: string | null
  readonly warning: string | null
}

/** Finds and tries the secret of a store to move. Throws `UserError` when it opens no key. */
export function findMoveSecret(
  source: StorePlace,
  target: StorePlace,
  keys: readonly SealedKey[],
): MoveSecret {
  const env = readSecretVariable()
  const files = [source, target].flatMap((place) =>
    place.engine === 'sqlite' ? [secretFileOf(place.path)] : [],
  )
  const file = files.find((path) => existsSync(path)) ?? ''
  const secret = env ?? readSecretFile(file)
  if (secret === undefined) {
    if (keys.length === 0) return { status: 'none', file: null, advice: null, warning: null }
    throw new UserError(
      'There is no secret for the keys that are to be moved: set TOLLGATE_SECRET to the one that ' +
        'the gateway runs with.',
    )
  }
  const warning = judge(secret, keys, {
    called: env === undefined ? file : 'TOLLGATE_SECRET',
    which: 'that are to be moved',
    wayOut: ': set TOLLGATE_SECRET to the secret that they were made with.',
    advice: '',
  })
  if (env !== undefined) return { status: 'environment', file: null, advice: keepVariable, warning }
  if (target.engine === 'postgres')
    return { status: 'file', file, advice: `${keepVariable} It is what is in ${file}.`, warning }
  const own = secretFileOf(target.path)
  if (existsSync(own) && !isSameContent(file, own)) throw otherSecret(own, file)
  return { status: existsSync(own) ? 'file' : 'copied', file, advice: null, warning }
}

/** Copies the secret file beside the new place if it belongs there and is missing. */
export async function placeSecret({ status, file }: MoveSecret, target: StorePlace): Promise<void> {
  if (status !== 'copied' || file === null || target.engine !== 'sqlite') return
  const own = secretFileOf(target.path)
  if ((await copySecretFile(file, own)) === 'taken') throw otherSecret(own, file)
}

const otherSecret = (own: string, file: string) =>
  new UserError(
    `${own} holds another secret than ${file}: move it away, for it opens none of the keys.`,
  )

const keepVariable =
  'Start every gateway that serves from the new place with the same TOLLGATE_SECRET.'
