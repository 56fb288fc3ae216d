import type { TokenHash, TokenStore } from '../ports/tokens.ts'
import { build } from './build.ts'
import type { Engine } from './engine.ts'
import { all, type Steps } from './steps.ts'

/** Reads which keys there are, page by page. */
export const createTokenHashes = ({ read }: Engine): Pick<TokenStore, 'hashesAfter'> => ({
  hashesAfter: (id, limit) => read(() => selectHashes(id, limit)),
})

function* selectHashes(id: number, limit: number): Steps<readonly TokenHash[]> {
  const tokens = build.selectFrom('token').select(['id', 'key_hash as keyHash'])
  return yield* all(tokens.where('id', '>', id).orderBy('id').limit(limit))
}
