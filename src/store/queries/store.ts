import type { Clock } from '../../lib/clock.ts'
import type { ReadingStore } from '../ports/store.ts'
import type { Sql } from '../schema/sql.ts'
import { createAdminStore, createEdits } from './admin.ts'
import { createAnswerStore } from './answers.ts'
import { createAttemptStore } from './attempts.ts'
import { createAvailabilityStore } from './availability.ts'
import { createCatalogStore } from './catalog.ts'
import { createHealthStore } from './channels.ts'
import type { ListSource } from './lists/search.ts'
import { createLists } from './lists/store.ts'
import { createRecordReading } from './requests.ts'
import { createResponseStore } from './responses.ts'
import { createSignInStore } from './sign-in/sign-in.ts'
import type { Engine } from './steps.ts'

interface StoreParts {
  readonly engine: Engine
  /** For the hot path. */
  readonly soon: Engine
  /** Where lists are read. */
  readonly source: ListSource
  readonly clock: Clock
  /** The time of all nodes, in milliseconds since 1970. */
  readonly now: () => Sql<number>
}

/** What both engines have alike of a store. */
export const createStores = ({ engine, soon, source, clock, now }: StoreParts) => ({
  catalog: createCatalogStore(engine),
  admin: createAdminStore(engine, clock),
  edits: createEdits(engine, clock),
  lists: createLists(source, clock),
  health: createHealthStore(engine),
  attempts: createAttemptStore(engine),
  answers: createAnswerStore(soon, now),
  responses: createResponseStore(soon, now),
  availability: createAvailabilityStore(engine),
  signIn: createSignInStore({ engine, clock }),
})

/** The same for a process that only reads. */
export const createReading = (
  engine: Engine,
  source: ListSource,
  clock: Clock,
): Omit<ReadingStore, 'close'> => ({
  lists: createLists(source, clock),
  records: createRecordReading(engine),
  admin: createAdminStore(engine, clock),
  edits: createEdits(engine, clock),
})
