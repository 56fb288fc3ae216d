/** SQL with parameters, for both databases; `Row` is the type of the rows it returns. */
export class Sql<Row = unknown> {
  declare readonly row?: Row
  /** One more than there are `values`, which are parameters or SQL themselves. */
  readonly texts: readonly string[]
  readonly values: readonly unknown[]

  constructor(texts: readonly string[], values: readonly unknown[] = []) {
    this.texts = texts
    this.values = values
  }
}

/** SQL for PostgreSQL alone, with the text that SQLite gets instead. */
class PostgresSql extends Sql {
  readonly onSqlite: string

  constructor(text: string, onSqlite: string) {
    super([text])
    this.onSqlite = onSqlite
  }
}

/** SQL from a template: each `${}` is a parameter or nested SQL. */
export function sql<Row = unknown>(
  texts: readonly string[],
  ...values: readonly unknown[]
): Sql<Row> {
  return new Sql(texts, values)
}

/** A quoted name of a table or column. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

sql.raw = <Row = unknown>(text: string): Sql<Row> => new Sql([text])
/** A condition that only PostgreSQL checks, or another part of a statement. */
sql.onPostgres = (text: string, onSqlite = 'TRUE'): Sql => new PostgresSql(text, onSqlite)
/** A table, or a column with or without its table (`request.id`). */
sql.ref = (name: string): Sql => new Sql([name.split('.').map(quoted).join('.')])
/** A constant in the text, where a plan depends on it or a parameter has no type. */
sql.lit = (value: string | number): Sql =>
  new Sql([typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`])

/** A list of parameters or SQL. */
sql.join = (values: readonly unknown[], separator: Sql = comma): Sql => {
  const [between = ''] = separator.texts
  return new Sql(['', ...values.map((_, at) => (at < values.length - 1 ? between : ''))], values)
}

const comma = new Sql([', '])

export interface SqlText {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** The text and the parameters of SQL for one of the databases. */
export function compile(query: Sql, database: 'sqlite' | 'postgres'): SqlText {
  const parameters: unknown[] = []
  const isSqlite = database === 'sqlite'
  const write = ({ texts, values }: Sql): string => {
    let text = texts[0] ?? ''
    for (const [at, value] of values.entries()) text += textOf(value) + texts[at + 1]
    return text
  }
  function textOf(value: unknown): string {
    if (value instanceof Sql)
      return isSqlite && value instanceof PostgresSql ? value.onSqlite : write(value)
    parameters.push(value)
    return isSqlite ? '?' : `$${parameters.length}`
  }
  return { sql: write(query), parameters }
}
