import type { SignedIn } from '../access.ts'
import type { Me } from './schema.ts'

/** Who is signed in, and where. */
export interface MeService {
  describe(who: SignedIn): Promise<Me>
}
