import type { Link } from './link.ts'

/**
 * By which rule a server throws entries away when its memory is full (`maxmemory-policy`); undefined:
 * it keeps them, has no bound, or does not say: some hosted ones do not.
 */
export async function evictionOf(link: Pick<Link, 'ask'>): Promise<string | undefined> {
  const text = await link.ask('INFO', ['memory']).catch(() => undefined)
  if (typeof text !== 'string') return undefined
  const fields = new Map(
    text.split('\r\n').map((line): [string, string] => {
      const [name = '', value = ''] = line.split(':')
      return [name, value]
    }),
  )
  const policy = fields.get('maxmemory_policy')
  const isBounded = Number(fields.get('maxmemory') ?? 0) > 0
  return isBounded && policy !== 'noeviction' ? policy : undefined
}
