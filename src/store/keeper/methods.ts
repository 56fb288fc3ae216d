import type { Counters } from '../ports/counters.ts'
import type { Spool } from '../ports/records.ts'
import type { Store } from '../ports/store.ts'

/** What workers may call of the keeper's store; `records.commit` goes as a batch. */
export const storeMethods = {
  tokens: ['findByHash', 'hashesAfter'],
  catalog: ['load'],
  edits: ['storedSettings'],
  records: ['receipt', 'tokenUsage'],
  admin: ['overdrawn'],
  answers: ['find', 'areShared', 'pending', 'allPending', 'takeDue', 'putOff', 'sweep'],
  responses: ['put', 'find', 'findResponses', 'remove', 'sweep'],
  health: ['load', 'save', 'clear'],
  availability: ['add', 'read', 'readGroup', 'prune'],
} as const satisfies { readonly [Part in keyof Store]?: readonly (keyof Store[Part])[] }

type StoreMethods = typeof storeMethods
export type StorePart = keyof StoreMethods

/** The parts of a store on the other end of the link, with what may be called of them. */
export type RemoteParts = {
  readonly [Part in StorePart]: Pick<
    Store[Part],
    Extract<StoreMethods[Part][number], keyof Store[Part]>
  >
}

export const countersMethods = [
  ...(['admit', 'report', 'get', 'set', 'drop', 'write', 'read'] as const),
] as const satisfies readonly (keyof Counters)[]

export const spoolMethods = ['add'] as const satisfies readonly (keyof Spool)[]

/** What only reads: it is asked again on a new connection. */
const reading = new Set([
  ...['tokens.findByHash', 'tokens.hashesAfter', 'catalog.load', 'edits.storedSettings'],
  ...['records.receipt', 'records.tokenUsage', 'admin.overdrawn', 'answers.find'],
  ...['answers.areShared', 'answers.pending', 'answers.allPending', 'responses.find'],
  ...['responses.findResponses', 'health.load', 'availability.read', 'availability.readGroup'],
  'store.check',
])

export const isReading = (part: string, method: string): boolean => reading.has(`${part}.${method}`)

/** All that a worker may call, by the name of its part: this table and no other. */
export const allowedMethods: Readonly<Record<string, readonly string[]>> = {
  ...storeMethods,
  store: ['check'],
  counters: countersMethods,
  stocks: ['lend'],
  spool: spoolMethods,
  leases: ['ageMs'],
}
