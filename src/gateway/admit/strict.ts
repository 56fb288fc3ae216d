import type { Exchange } from '../exchange.ts'

/** Whether what would be left out of a request is a 400: its header says so, or its token. */
export function isStrict({ request, caller }: Pick<Exchange, 'request' | 'caller'>): boolean {
  const header = request.headers.get('x-tollgate-strict')
  return header?.trim().toLowerCase() === 'true' || caller?.token.isStrict === true
}
