/**
 * Where to go after signing in: a path of the console, from the address. Anything else, such as
 * another site, is the overview.
 */
export function nextPage(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/')) return '/'
  const url = URL.parse(next, location.origin)
  if (url === null || url.origin !== location.origin) return '/'
  const path = url.pathname.replace(/^\/console(?=\/|$)/, '')
  return path.startsWith('/') && !path.startsWith('//') ? path + url.search : '/'
}
