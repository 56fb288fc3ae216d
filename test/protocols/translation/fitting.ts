import { protocols } from '../../../src/protocols/index.ts'
import type { ProtocolName } from '../../../src/protocols/protocol.ts'
import { fit as fitTo } from '../../../src/protocols/translation/fit.ts'
import { findUses as findIn } from '../../../src/protocols/translation/uses.ts'

type Rest<F> = F extends (request: infer _, client: infer __, ...rest: infer R) => unknown
  ? R
  : never
type Request = Parameters<typeof fitTo>[0]

/** `fit` for clients of the protocol of this name. */
export const fit = (request: Request, client: ProtocolName, ...rest: Rest<typeof fitTo>) =>
  fitTo(request, protocols[client].spelling, ...rest)

/** `findUses` likewise. */
export const findUses = (request: Request, client: ProtocolName) =>
  findIn(request, protocols[client].spelling)
