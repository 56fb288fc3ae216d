/** Settings of the server for a connection, by their names there: `statement_timeout`, `jit` … */
export type Settings = Readonly<Record<string, string | number>>

/** An address whose connections begin with these settings, after those that it names itself. */
export function withSettings(url: string, settings: Settings): string {
  const address = new URL(url)
  const words = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const named = address.searchParams.get('options')
  address.searchParams.set('options', [...(named ? [named] : []), ...words].join(' '))
  return address.href
}
