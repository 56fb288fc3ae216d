import { Argument, type Command } from 'commander'
import { schemaPath, schemas } from '../app/schemas.ts'
import { withExamples } from './config-option.ts'
import { writeJson, writeList } from './output.ts'

type SchemaName = keyof typeof schemas

const meanings: Readonly<Record<SchemaName, string>> = {
  feed: 'the price feed',
  plaza: 'the model plaza',
  settings: 'the public settings',
  status: 'the status',
  config: 'tollgate.yaml, for an editor',
}

const names = Object.keys(meanings) as SchemaName[]
const listed = names.map((name) => ({
  name,
  path: schemaPath(schemas[name].file),
  describes: meanings[name],
}))
type Listed = (typeof listed)[number]

const columns = [
  { title: 'NAME', text: ({ name }: Listed) => name },
  { title: 'PATH', text: ({ path }: Listed) => path },
  { title: 'DESCRIBES', text: ({ describes }: Listed) => describes },
]

/** `tollgate schema`: the JSON Schemas that the gateway publishes too. */
export function addSchema(program: Command): void {
  const command = program
    .command('schema')
    .description('print the JSON Schema of a public document or of tollgate.yaml')
    .addArgument(new Argument('[name]', 'whose schema; without it, a list').choices(names))
    .option('--json', 'the list as JSON; a schema is JSON anyway')
    .action(async (name: SchemaName | undefined, { json }: { readonly json?: boolean }) => {
      if (name) return writeJson(schemas[name].content())
      await writeList(listed, columns, { json, none: '' })
    })
  withExamples(
    command,
    'tollgate schema config > tollgate.schema.json',
    '# then, as the first line of tollgate.yaml:',
    '# yaml-language-server: $schema=tollgate.schema.json',
  )
}
