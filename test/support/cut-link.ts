import { randomUUID } from 'node:crypto'

type Direction = 'toKeeper' | 'toWorker'

interface Pair {
  far: Bun.Socket<undefined> | undefined
  waiting: Buffer[]
}

/** A cable between a worker and a keeper that breaks after so many bytes in one direction, once. */
export function createCutLink(
  target: string,
  cut?: { readonly way: Direction; readonly after: number },
) {
  const address = `\0tollgate-cut-${randomUUID()}`
  const passed = { toKeeper: 0, toWorker: 0 }
  const open = new Set<Bun.Socket<Pair>>()
  let isCut = false

  /** As much of it as passes; the break comes within it when it is shorter. */
  function pass(way: Direction, data: Buffer): Buffer {
    const left = cut?.way === way && !isCut ? cut.after - passed[way] : Number.POSITIVE_INFINITY
    const through = data.subarray(0, Math.min(left, data.byteLength))
    passed[way] += data.byteLength
    if (through.byteLength < data.byteLength) isCut = true
    return through
  }

  function forward(
    way: Direction,
    data: Buffer,
    from: Bun.Socket<unknown>,
    to: Bun.Socket<unknown>,
  ) {
    const wasCut = isCut
    const through = pass(way, data)
    if (through.byteLength > 0) to.write(through)
    if (isCut === wasCut) return
    // What was written before the break arrives.
    to.end()
    from.terminate()
  }

  const listening = Bun.listen<Pair>({
    unix: address,
    socket: {
      open(near) {
        open.add(near)
        near.data = { far: undefined, waiting: [] }
        void Bun.connect<undefined>({
          unix: target,
          socket: {
            data: (far, data) => forward('toWorker', data, far, near),
            close() {
              near.end()
            },
            error: () => near.terminate(),
          },
        }).then(
          (far) => {
            near.data.far = far
            for (const data of near.data.waiting) forward('toKeeper', data, near, far)
          },
          () => near.terminate(),
        )
      },
      data(near, data) {
        const { far, waiting } = near.data
        if (far) forward('toKeeper', data, near, far)
        else waiting.push(data)
      },
      close(near) {
        open.delete(near)
        near.data.far?.end()
      },
      error: (near) => near.data.far?.terminate(),
    },
  })
  return {
    address,
    passed,
    wasCut: () => isCut,
    /** Ends all connections; new ones can be made. */
    drop(): void {
      for (const near of open) near.terminate()
    },
    close: () => listening.stop(true),
  }
}
