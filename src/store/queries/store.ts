import type { Clock } from '../../lib/clock.ts'
import type { ReadingStore } from '../ports/store.ts'
import type { Sql } from '../schema/sql.ts'
import { createAdminStore, createEdits } from './admin.ts'
import { createAnswerStore } from './answers.ts'
import { createAvailabilityStore } from './availability.ts'
import { createCatalogStore } from './catalog.ts'
import { createHealthStore } from './channels.ts'
import type { ListSource } from './lists/search.ts'
import { createLists } from './lists/store.ts'
import { createRecordReading } from './requests.ts'
import { createResponseStore } from './responses.ts'
import { createSignInStore } from './sign-in/sign-in.ts'
import type { Engine } from './steps.ts'

/** What both engines share of a store. `soon` is for the hot path, `now` the time of all nodes. */
export const createStores = (
  engine: Engine,
  soon: Engine,
  source: ListSource,
  clock: Clock,
  now: () => Sql<number>,
) => ({
  catalog: createCatalogStore(engine),
  admin: createAdminStore(engine, clock),
  edits: createEdits(engine, clock),
  lists: createLists(source, clock),
  health: createHealthStore(engine),
  answers: createAnswerStore(soon, now),
  responses: createResponseStore(soon, now),
  availability: createAvailabilityStore(engine),
  signIn: createSignInStore(engine, clock),
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
