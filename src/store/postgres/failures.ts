import { DatabaseError } from 'pg'
import { StoreError } from '../ports/store-error.ts'
import { explainTls } from './tls.ts'

/** SQLSTATE (or its beginning) → the explanation, which follows the place in the message. */
const explanations: readonly (readonly [string, string])[] = [
  ['08', 'can not be reached: check that the server runs and the network between'],
  ['25006', 'takes no writing (it is a standby): name the primary server'],
  ['28P01', 'refuses this user: check user and password (a % in it is %25 in an address)'],
  ['28', 'refuses this user: check user and password'],
  ['40', 'had others change the same again and again: try again'],
  ['3D', 'does not exist: create it ("createdb"), or name another one'],
  ['42501', 'forbids this to the user: make it the owner of the database'],
  ['53100', 'can not grow because the disk is full: make room, then try again'],
  ['53200', 'has no memory left: give the server more, then try again'],
  ['53', 'has no room for another connection: raise max_connections, or use fewer nodes'],
  ['55P03', 'is locked by another process: end what it does there, then try again'],
  ['57014', 'took too long to answer: look for what keeps it busy, then try again'],
  ['57P', 'is being stopped or started: wait for it, then try again'],
  ['58', 'can not be read or written: check the disk of the server'],
  ['XX001', 'is damaged: restore a backup'],
]

const conflicts = new Set(['40001', '40P01'])

/** Whether a transaction was rolled back in favour of another one. */
export const isConflict = (error: unknown): boolean =>
  error instanceof DatabaseError && conflicts.has(error.code ?? '')

/** Whether a statement does not fit the schema or its rows: a retry fails, too. */
export const isOfStatement = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && /^(2[23]|42(?!501))/.test(error.code ?? '')

/** Whether the server is a standby, which may become the primary. */
export const isStandby = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && error.code === '25006'

/** Whether the server can't be reached, ended before it answered, or takes no writing yet. */
export function isUnavailable(error: unknown): boolean {
  if (isStandby(error)) return true
  if (error instanceof DatabaseError) return /^(08|53300|57P)/.test(error.code ?? '')
  return error instanceof ConnectionLost
}

/** The driver's messages when a connection can't be made, ends, or does not answer. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

/** A connection that could not be made: no statement was sent. */
export class NotConnected extends ConnectionLost {}

/** Whether the statement may have run. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof DatabaseError) return /^(08|57P01|57P02)/.test(error.code ?? '')
  return error instanceof ConnectionLost && !(error instanceof NotConnected)
}

/** Values that are rejected each time; other errors may pass. */
const isOfValues = (code: string) => code.startsWith('22') || code.startsWith('23')

/** An error of the database as a `StoreError`; what is wrong with values stays as it is. */
export function explainFailure(error: unknown, place: string): unknown {
  const explained = (complaint: string) =>
    new StoreError(`The database ${place} ${complaint}.`, { cause: error })
  if (error instanceof ConnectionLost) {
    const unreached = 'can not be reached: check that the server runs and the network between'
    return explained(`${explainTls(error.cause) ?? unreached} (${error.message})`)
  }
  if (!(error instanceof DatabaseError)) return error
  const { code = '', message } = error
  if (isOfValues(code)) return error
  if (code === '28000' && message.includes('no encryption'))
    return explained(
      'takes encrypted connections only: add ?sslmode=require (or verify-full) to its address ' +
        `(${message})`,
    )
  const known = explanations.find(([prefix]) => code.startsWith(prefix))
  return explained(`${known?.[1] ?? 'failed: look at the log of the server'} (${code}: ${message})`)
}
