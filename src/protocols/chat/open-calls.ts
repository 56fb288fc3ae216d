import type { ToolCallPart } from '../canonical/request.ts'

/** Calls of a conversation that no result has answered yet, in their order. */
export interface OpenCalls {
  add(call: ToolCallPart): void
  /** The call with this id, which is answered now. */
  take(callId: string): ToolCallPart | undefined
  /** The first one of this name, or of any where the name is empty. */
  takeNext(name: string): ToolCallPart | undefined
}

/** None yet. No call is looked at again and again: conversations may have very many. */
export function createOpenCalls(): OpenCalls {
  const open = new Map<string, ToolCallPart>()
  /** Of each name, and of all (''), also those that have been answered since; and what is left of them. */
  const lists = new Map<string, ToolCallPart[]>()
  const named = new Map<string, Iterator<ToolCallPart>>()

  function take(callId: string): ToolCallPart | undefined {
    const call = open.get(callId)
    open.delete(callId)
    return call
  }

  return {
    add(call) {
      open.set(call.callId, call)
      for (const name of new Set(['', call.name])) {
        const list = lists.get(name)
        if (list === undefined) lists.set(name, [call])
        else list.push(call)
      }
    },
    take,
    takeNext(name) {
      const rest = named.get(name) ?? lists.get(name)?.values()
      if (rest === undefined) return undefined
      named.set(name, rest)
      for (let next = rest.next(); !next.done; next = rest.next()) {
        if (open.get(next.value.callId) === next.value) return take(next.value.callId)
      }
      // More of them may come: an iterator that has ended would not see these.
      lists.delete(name)
      named.delete(name)
      return undefined
    },
  }
}
