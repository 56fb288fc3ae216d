/** `postgres://host:port/database` of an address: what is secret in it is left out. */
export function placeOf(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}
