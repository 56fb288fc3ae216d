interface Call {
  readonly callId: string
  readonly name: string
}

/** Pairs results with their calls, visiting each call once: conversations may be long. */
export function createOpenCalls<C extends Call>() {
  const open = new Map<string, C>()
  const queues = new Map<string, { readonly calls: C[]; next: number }>()

  function take(callId: string): C | undefined {
    const call = open.get(callId)
    open.delete(callId)
    return call
  }

  return {
    add(call: C): void {
      open.set(call.callId, call)
      for (const name of new Set(['', call.name])) {
        queues.getOrInsertComputed(name, () => ({ calls: [], next: 0 })).calls.push(call)
      }
    },
    take,
    /** The first open call of this name, or of any for an empty name, if it `fits`. */
    takeNext(name: string, fits: (call: C) => boolean = () => true): C | undefined {
      const queue = queues.get(name)
      while (queue !== undefined && queue.next < queue.calls.length) {
        const call = queue.calls[queue.next]
        if (call && open.get(call.callId) === call)
          return fits(call) ? take(call.callId) : undefined
        queue.next++
      }
      return undefined
    },
  }
}
