/**
 * Where to go after signing in: a path of the console at `origin`, from the address. Anything else,
 * such as another site, is the overview.
 */
export function nextPage(next: unknown, origin: string): string {
  if (typeof next !== 'string' || !next.startsWith('/')) return '/'
  const url = URL.parse(next, origin)
  if (url === null || url.origin !== origin) return '/'
  const path = url.pathname.replace(/^\/console(?=\/|$)/, '')
  return path.startsWith('/') && !path.startsWith('//') ? path + url.search : '/'
}
