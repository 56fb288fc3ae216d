import { Ajv2020 } from 'ajv/dist/2020.js'

/**
 * A function that lists what is wrong with a document by a schema; empty: nothing. A schema with a
 * keyword that JSON Schema does not know, or that is not valid itself, throws.
 */
export function createValidator(schema: object): (document: unknown) => string[] {
  const ajv = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    allErrors: true,
    formats: { uri: (text: string) => URL.canParse(text) },
  })
  const validate = ajv.compile(schema)
  return (document) => {
    validate(document)
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
  }
}
