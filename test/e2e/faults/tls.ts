import { join } from 'node:path'
import type { FaultRequest } from '../../support/fault/requests.ts'
import { end, httpBytes, reset, stall, write } from '../../support/fault/steps.ts'
import type { FaultOptions, FaultUpstream } from '../../support/fault/upstream.ts'
import { answerWell } from '../../support/fault/well.ts'
import { both, type Fault, fails, well } from './fault.ts'

const folder = join(import.meta.dir, '../../fixtures/tls')
const read = (name: string) => Bun.file(join(folder, name)).text()

/** Those whom the gateway of these tests trusts beside the usual ones, as one file of PEM. */
export const trusted = async (): Promise<string> =>
  (await Promise.all(['ca.pem', 'local.pem', 'expired.pem'].map(read))).join('')

const withCertificate = (cert: string, key: string) => async (): Promise<FaultOptions> => ({
  tls: { cert: await read(cert), key: await read(key) },
})
const failed = both(fails('tls_failed'))
const script = (request: FaultRequest) => answerWell(request)
/** It is no TLS server, though its address says so. */
const asTls = ({ port }: FaultUpstream) => `https://127.0.0.1:${port}`
const hello = httpBytes({ status: 400, body: 'This is plain HTTP.', type: 'text/plain' })

/** What goes wrong before the first byte of HTTP, where an address begins with https. */
export const tlsFaults: Readonly<Record<string, Fault>> = {
  'tls-well': { script, server: withCertificate('local.pem', 'local.key'), ...both(well) },
  'signed-by-itself': { script, server: withCertificate('unknown.pem', 'unknown.key'), ...failed },
  'of-another-name': {
    ...{ script, server: withCertificate('media.test.pem', 'media.test.key') },
    ...failed,
  },
  expired: { script, server: withCertificate('expired.pem', 'local.key'), ...failed },
  'no-tls': { url: asTls, server: { atFirstBytes: [write(hello), end] }, ...failed },
  'ends-in-the-greeting': {
    ...{ url: asTls, server: { atFirstBytes: [end] } },
    ...both(fails('connection_lost')),
  },
  'reset-in-the-greeting': {
    ...{ url: asTls, server: { atFirstBytes: [reset] } },
    ...both(fails('connection_lost')),
  },
  'silent-in-the-greeting': {
    ...{ url: asTls, server: { atFirstBytes: [stall] } },
    ...{ timeouts: { first_byte: '400ms' }, ...both(fails('timeout_first_byte')) },
  },
  'tls-where-none-is-meant': {
    ...{ script, server: withCertificate('local.pem', 'local.key') },
    url: ({ port }) => `http://127.0.0.1:${port}`,
    ...both(fails('connection_lost')),
  },
}
