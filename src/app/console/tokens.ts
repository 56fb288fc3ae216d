import {
  createTokenService,
  type TokenParts,
  type TokenService,
} from '../../admin/tokens/service.ts'
import type { ConsoleParts } from './parts.ts'
import { checkToken } from './rules.ts'

/** Tokens in the console, by the rules of tollgate.yaml. */
export function createConsoleTokens(parts: ConsoleParts, prove: TokenParts['prove']): TokenService {
  const { config, secrets } = parts
  return createTokenService({
    ...parts,
    catalog: parts.metrics.catalog,
    ...{ prove, check: checkToken },
    isInFile: ({ account, keyHash }) =>
      config()
        .accounts.filter(({ email }) => email === account)
        .some(({ tokens }) => tokens.some(({ key }) => secrets.keyedHash(key) === keyHash)),
  })
}
