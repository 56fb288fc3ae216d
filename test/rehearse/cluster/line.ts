import { createServer, connect as dial, type Socket } from 'node:net'

/** `out` is from a node to its server, `back` from the server to the node. */
export type Direction = 'out' | 'back'

/** The network between one node and one server. It loses things in silence, as real ones do. */
export interface Line extends AsyncDisposable {
  /** The node connects here. */
  readonly port: number
  /** Connections made from now on lead to this port of the machine. */
  lead(to: number): void
  /** Nothing arrives any more in these directions, not even the end of a connection. */
  cut(directions: readonly Direction[]): void
  /**
   * What was kept back arrives, as TCP sends it again. With `forgets` the network has forgotten the
   * connections of now: their server sees them end, their node hears nothing of them for ever.
   */
  mend(forgets: boolean): void
  /** Ends all connections for both ends. */
  drop(): void
}

interface Pair {
  readonly near: Socket
  readonly far: Socket | undefined
  readonly held: Record<Direction, Buffer[]>
  /** Whose end has not been told to the other side. */
  readonly ended: Set<Direction>
  isForgotten: boolean
}

/** Lays a line to a port of this machine. */
export async function layLine(to: number): Promise<Line> {
  const pairs = new Set<Pair>()
  let target = to
  let cut = new Set<Direction>()

  function carry(pair: Pair, direction: Direction, from: Socket, other: Socket): void {
    from.on('error', () => {}) // its end comes next
    from.on('data', (bytes: Buffer) => {
      if (pair.isForgotten) return
      if (cut.has(direction)) pair.held[direction].push(bytes)
      else other.write(bytes)
    })
    const ended = () => {
      if (pair.isForgotten) return
      if (cut.has(direction)) pair.ended.add(direction)
      else other.end()
    }
    // Nobody answers a goodbye that does not arrive.
    from.on('end', ended)
    from.on('close', () => {
      if (from.destroyed && other.destroyed) pairs.delete(pair)
      ended()
    })
  }

  function open(near: Socket): void {
    // A connection needs both directions to be made: its first packet or the answer is lost.
    const far =
      cut.size > 0 ? undefined : dial({ port: target, host: '127.0.0.1', allowHalfOpen: true })
    const held = { out: [], back: [] }
    const pair: Pair = { near, far, held, ended: new Set(), isForgotten: false }
    pairs.add(pair)
    if (far === undefined) {
      near.on('error', () => {})
      near.on('close', () => pairs.delete(pair))
      return
    }
    carry(pair, 'out', near, far)
    carry(pair, 'back', far, near)
  }

  function forget(pair: Pair): void {
    pair.isForgotten = true
    pair.far?.destroy()
  }

  function deliver(pair: Pair): void {
    const { near, far, held, ended } = pair
    if (far === undefined) {
      near.destroy()
      return
    }
    for (const bytes of held.out.splice(0)) far.write(bytes)
    for (const bytes of held.back.splice(0)) near.write(bytes)
    if (ended.has('out')) far.end()
    if (ended.has('back')) near.end()
    ended.clear()
  }

  const server = createServer({ allowHalfOpen: true }, open)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const drop = () => {
    for (const { near, far } of pairs) {
      near.destroy()
      far?.destroy()
    }
  }
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    lead(next) {
      target = next
    },
    cut(directions) {
      cut = new Set(directions)
    },
    mend(forgets) {
      cut = new Set()
      for (const pair of pairs) {
        if (pair.isForgotten) continue
        if (forgets) forget(pair)
        else deliver(pair)
      }
    },
    drop,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done))
      drop()
      await closed
    },
  }
}
