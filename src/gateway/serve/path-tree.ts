import type { Path } from '../../protocols/request-extras.ts'

interface Node {
  path: Path | undefined
  readonly inside: Map<string | number, Node>
}

/** Tells which of some paths another one stands within, in one walk along it. */
export function createPathTree(paths: readonly Path[]) {
  const root: Node = { path: undefined, inside: new Map() }
  for (const path of paths) {
    let at = root
    for (const step of path) {
      const next = at.inside.get(step) ?? { path: undefined, inside: new Map() }
      at.inside.set(step, next)
      at = next
    }
    at.path = path
  }

  /** The outermost path that this one goes on from; undefined: none. */
  function around(path: Path): Path | undefined {
    let at: Node | undefined = root
    for (const step of path) {
      if (at.path !== undefined) return at.path
      at = at.inside.get(step)
      if (at === undefined) return undefined
    }
    return undefined
  }

  return { around }
}
