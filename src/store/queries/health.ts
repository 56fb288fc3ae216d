import type { CoolingId, CoolingRow, HealthStore } from '../ports/health.ts'
import { build } from './build.ts'
import type { Engine } from './engine.ts'
import { all, run, type Steps } from './steps.ts'

/** The health of channels. */
export const createHealthStore = ({ read, write }: Engine): HealthStore => ({
  load: () => read(loadCooling),
  save: (changed, ended) => write(() => saveCooling(changed, ended)),
  clear: (channelId) => write(() => clearCooling(channelId)),
})

/** All that cools, of live channels. */
function* loadCooling(): Steps<CoolingRow[]> {
  const rows = yield* all(
    build
      .selectFrom('cooling')
      .innerJoin('channel', 'channel.id', 'cooling.channel_id')
      .selectAll('cooling')
      .where('channel.deleted_at', 'is', null)
      .orderBy('cooling.channel_id')
      .orderBy('cooling.key')
      .orderBy('cooling.model'),
  )
  return rows.map(({ channel_id, ...row }) => ({ channelId: channel_id, ...row }))
}

/** Writes what has begun or changed and removes what has ended. Call it in a transaction. */
function* saveCooling(changed: readonly CoolingRow[], ended: readonly CoolingId[]): Steps<void> {
  for (const row of ended) {
    const rows = deleteCooling(row.channelId)
    yield* run(rows.where('key', '=', row.key).where('model', '=', row.model))
  }
  for (const { channelId, key, model, cause, since, until, rounds } of changed) {
    const values = { cause, since, until, rounds }
    yield* run(
      build
        .insertInto('cooling')
        .values({ channel_id: channelId, key, model, ...values })
        .onConflict((conflict) =>
          conflict.columns(['channel_id', 'key', 'model']).doUpdateSet(values),
        ),
    )
  }
}

/** Ends all cooling of a channel; returns how many rows went. */
export function* clearCooling(channelId: number): Steps<number> {
  return yield* run(deleteCooling(channelId))
}

const deleteCooling = (channelId: number) =>
  build.deleteFrom('cooling').where('channel_id', '=', channelId)
