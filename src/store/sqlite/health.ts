import type { CoolingId, CoolingRow } from '../ports/health.ts'
import type { Queries } from './queries.ts'

/** All that cools, of live channels. */
export function loadCooling({ build, all }: Queries): CoolingRow[] {
  const rows = all(
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
export function saveCooling(
  queries: Queries,
  changed: readonly CoolingRow[],
  ended: readonly CoolingId[],
): void {
  const { build, run } = queries
  for (const row of ended) {
    const rows = deleteCooling(queries, row.channelId)
    run(rows.where('key', '=', row.key).where('model', '=', row.model))
  }
  for (const { channelId, key, model, cause, since, until, rounds } of changed) {
    const values = { cause, since, until, rounds }
    run(
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
export function clearCooling(queries: Queries, channelId: number): number {
  return queries.run(deleteCooling(queries, channelId))
}

const deleteCooling = ({ build }: Queries, channelId: number) =>
  build.deleteFrom('cooling').where('channel_id', '=', channelId)
