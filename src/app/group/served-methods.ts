import { allowedMethods } from '../../store/keeper/methods.ts'
import type { Worker } from './worker-table.ts'

type Method = (worker: Worker, ...args: readonly unknown[]) => unknown

/** What workers may call, by `part.method`: of these objects what the one table allows. */
export function servedMethods(
  parts: Readonly<Record<string, object>>,
): ReadonlyMap<string, Method> {
  const found = new Map<string, Method>()
  for (const [part, names] of Object.entries(allowedMethods)) {
    const target = parts[part] ?? {}
    for (const name of names) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method === 'function')
        found.set(`${part}.${name}`, (worker, ...args) =>
          Reflect.apply(method, target, part === 'spool' ? [worker, ...args] : args),
        )
    }
  }
  return found
}
