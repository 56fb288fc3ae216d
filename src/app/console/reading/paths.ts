interface Route {
  readonly method: string
  readonly path: string
}

/**
 * Tells which requests only read: those of `reading`, one part of the API. Where a name stands in a path
 * of `all`, it goes before a parameter there, as it does for the routes themselves.
 */
export function createReadingPaths(reading: readonly Route[], all: readonly Route[]) {
  const hasParameter = ({ path }: Route) => path.includes('/:')
  const own = new Set(reading.map(({ path }) => path))
  const others = new Set(all.filter((one) => !hasParameter(one)).map(({ path }) => path))
  const patterns = reading.filter(hasParameter).map(({ path }) => patternOf(path))
  return ({ method, url }: Pick<Request, 'method' | 'url'>): boolean => {
    if (method !== 'GET' && method !== 'HEAD') return false
    const { pathname } = new URL(url)
    if (own.has(pathname)) return true
    return !others.has(pathname) && patterns.some((pattern) => pattern.test(pathname))
  }
}

/** Paths with a parameter are letters, digits, hyphens and parameters. */
const patternOf = (path: string) => new RegExp(`^${path.replace(/:[^/]+/g, '[^/]+')}$`)
