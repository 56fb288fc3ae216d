import { decidingFields, foldName } from '../../protocols/field-names.ts'
import { shortName } from '../admit/short-name.ts'
import { GatewayError } from '../errors.ts'

/**
 * Throws the 400 of a name that another reader could take for a field that decides the charge: some
 * upstreams read names without regard to case, and take `ſ` for an `s`.
 */
export function checkNames(names: Iterable<string>): void {
  for (const name of names) {
    const known = decidingFields.get(foldName(name))
    if (known === undefined || known === name) continue
    const how = known === known.toLowerCase() ? 'Write it in small letters' : 'Write it so'
    const message = `There is no field "${shortName(name)}". ${how}: "${known}".`
    throw new GatewayError('invalid_value', message, { param: shortName(name) })
  }
}

/** Two readers could take two different values, and one would be charged for the other's. */
export function sentTwice(name: string, kind: 'invalid_json' | 'invalid_value'): GatewayError {
  const param = shortName(name)
  return new GatewayError(kind, `The field "${param}" is there twice. Send each field once.`, {
    param,
  })
}
