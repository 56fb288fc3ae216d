import type { LogForm } from '../open-log.ts'

/** Facts of a process group that all its processes know. */
export interface GroupFacts {
  readonly workers: number
  /** The public address; for children, the port is the one that was opened. */
  readonly host: string
  readonly port: number
  /** Names of the keeper's two abstract Unix sockets, and the secret that both ask for. */
  readonly pages: string
  readonly link: string
  readonly secret: string
  readonly log: LogForm
  /** How long a stop may take before the starter kills what is left. */
  readonly stopMs: number
}

export interface StarterRole extends GroupFacts {
  readonly role: 'starter'
}

/** What a child of the starter is told about itself. */
export interface ChildRole extends GroupFacts {
  readonly role: 'keeper' | 'worker'
  /** Number of a worker, from 0 on: the one that replaces it has the same. */
  readonly index: number
  /** How many processes of this number there were before: 0 is the first start of the group. */
  readonly start: number
}

/** A worker's listening socket. */
export const socketDescriptor = 3

const variable = 'TOLLGATE_GROUP'

/** An environment that gives a process its role. */
export const withRole = (role: StarterRole | ChildRole) => ({
  ...process.env,
  [variable]: JSON.stringify(role),
})

/** The role of this process in a group; undefined: it is in none. Processes that it starts do not inherit it. */
export function takeRole(): StarterRole | ChildRole | undefined {
  const text = process.env[variable]
  delete process.env[variable]
  return text === undefined ? undefined : JSON.parse(text)
}
