import type { Catalog } from '../../catalog/catalog.ts'
import type { AnswerStore } from '../../store/ports/answers.ts'
import type { Background } from '../background/background.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { MemoryBudget } from '../memory/memory-budget.ts'
import type { AffordParts } from '../money/afford.ts'
import type { OwnResponses } from '../own-responses/own-responses.ts'
import type { TranslationParts } from '../translate/translation.ts'
import type { Gatekeeper } from './gatekeeper.ts'
import type { RequestSlots } from './request-slots.ts'

/** What admission works with. */
export interface AdmitParts extends AffordParts, TranslationParts {
  readonly catalog: () => Catalog
  readonly gatekeeper: Gatekeeper
  readonly slots: Pick<RequestSlots, 'take' | 'release'>
  readonly memory: MemoryBudget
  readonly memoryWaitMs: () => number
  readonly maxBodyBytes: () => number
  readonly own: OwnResponses
  readonly limiter: Limiter
  readonly queueTimeMs: () => number
  readonly onLimited: (kind: string) => void
  readonly answers: Pick<AnswerStore, 'areShared'>
  readonly background: Pick<Background, 'requireEnd'>
  /** A reference to an unknown answer; `refuse_shared`: where tokens of several accounts may use its channels. */
  readonly unknownAnswers: () => 'refuse_shared' | 'refuse' | 'pass'
  /** Looks up a sticky binding in Valkey; undefined: nothing to wait for. */
  readonly refreshBinding?:
    | ((tokenId: number, conversation: string) => Promise<void> | undefined)
    | undefined
}
