import type { FromChild, ToChild } from './messages.ts'
import { type ChildRole, withRole } from './role.ts'

/** How a child ended. */
export interface Ended {
  readonly pid: number
  /** 1 where a signal ended it. */
  readonly code: number
  readonly signal: string | null
  readonly livedMs: number
  /** It was not even started. */
  readonly error?: unknown
}

export interface ChildParts {
  readonly role: ChildRole
  /** The program and its arguments. */
  readonly command: readonly string[]
  /** A worker's listening socket. */
  readonly socket?: number | undefined
  readonly onMessage: (message: FromChild) => void
  readonly onEnd: (ended: Ended) => void
}

export type Child = ReturnType<typeof startChild>

/** Starts a keeper or a worker. Throws when the system starts no process. */
export function startChild({ role, command, socket, onMessage, onEnd }: ChildParts) {
  const startedAt = performance.now()
  const child = Bun.spawn([...command], {
    stdio: ['ignore', 'inherit', 'inherit', ...(socket === undefined ? [] : [socket])],
    env: withRole(role),
    serialization: 'json',
    ipc: (message: FromChild) => onMessage(message),
    onExit({ pid, signalCode }, code) {
      const livedMs = performance.now() - startedAt
      const signal = signalCode === null ? null : String(signalCode)
      onEnd({ pid, code: code ?? 1, signal, livedMs })
    },
  })
  return {
    pid: child.pid,
    send(message: ToChild): void {
      try {
        child.send(message)
      } catch (error) {
        // It has just ended.
        if ((error as { code?: unknown }).code !== 'ERR_IPC_CHANNEL_CLOSED') throw error
      }
    },
    kill: () => child.kill('SIGKILL'),
  }
}
