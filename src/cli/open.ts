import { existsSync } from 'node:fs'
import { findStore } from '../app/find-config.ts'
import { type Instance, openInstance } from '../app/instance.ts'
import { describeWaiting } from '../app/spool.ts'
import { isOnServer } from '../app/store-place.ts'
import { UserError } from '../app/user-error.ts'
import type { ConfigOption } from './config-option.ts'
import { complain } from './errors.ts'

/** Opens the configured database, works on it and closes it. Reads only `store:` of the file. */
export async function withStore<Result>(
  { config }: ConfigOption,
  work: (instance: Instance) => Promise<Result>,
): Promise<Result> {
  const store = await findStore(config)
  if (!isOnServer(store) && !existsSync(store.path))
    throw new UserError(
      `There is no database ${store.path} yet. "tollgate serve" or "tollgate apply" makes it; ` +
        'if it lies elsewhere, name its configuration with --config.',
    )
  const instance = await openInstance({ store })
  try {
    for (const warning of instance.warnings) complain(`warning: ${warning}`)
    return await work(instance)
  } finally {
    await instance.store.close()
  }
}

/** Reports charges that the database does not have yet. */
export async function warnOfSpool({ config }: ConfigOption): Promise<void> {
  const waiting = describeWaiting(await findStore(config))
  if (waiting !== undefined) complain(`warning: ${waiting}`)
}
