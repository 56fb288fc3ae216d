/**
 * Which response answers which call. Ids are optional in this protocol, and some clients drop them
 * from the one and not from the other: without them a response belongs to the first call of its
 * name that has none yet.
 */
export interface Pairing {
  /** A content of the model begins: calls of its earlier contents wait no longer. */
  beginModel(): void
  /** A content of the user begins. */
  beginUser(): void
  /** The id of a call; `place` makes one that the next request of the conversation finds again. */
  call(id: string | undefined, name: string, place: string): string
  /** The id of the call that a response answers; of its own when there is none. */
  response(id: string | undefined, name: string, place: string): string
}

interface WaitingCall {
  readonly callId: string
  readonly hasOwnId: boolean
  isAnswered: boolean
}

interface Queue {
  readonly calls: WaitingCall[]
  next: number
}

/** Nothing called yet. */
export function createPairing(): Pairing {
  let byId = new Map<string, WaitingCall>()
  let byName = new Map<string, Queue>()
  let inModel = false

  /** The first call of a name that waits. */
  function takeByName(name: string, mayHaveId: boolean): WaitingCall | undefined {
    const queue = byName.get(name)
    if (queue === undefined) return undefined
    while (queue.calls[queue.next]?.isAnswered === true) queue.next++
    const call = queue.calls[queue.next]
    if (call === undefined || (call.hasOwnId && !mayHaveId)) return undefined
    call.isAnswered = true
    return call
  }

  return {
    beginModel() {
      if (inModel) return
      inModel = true
      byId = new Map()
      byName = new Map()
    },
    beginUser() {
      inModel = false
    },
    call(id, name, place) {
      const call = { callId: id ?? `call_${place}`, hasOwnId: id !== undefined, isAnswered: false }
      byId.set(call.callId, call)
      const queue = byName.get(name)
      if (queue) queue.calls.push(call)
      else byName.set(name, { calls: [call], next: 0 })
      return call.callId
    },
    response(id, name, place) {
      const known = id === undefined ? undefined : byId.get(id)
      if (known) {
        known.isAnswered = true
        return known.callId
      }
      return takeByName(name, id === undefined)?.callId ?? id ?? `call_${place}`
    },
  }
}
