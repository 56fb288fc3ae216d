/** `INSERT` text for a column list; its parameters carry the names in code (`$requestId`). */
export function insertText(
  table: string,
  columns: readonly string[],
  extra: readonly string[] = [],
): string {
  const pairs = [...columns, ...extra].map((column) => {
    const [name = '', alias = name] = column.slice(column.indexOf('.') + 1).split(' as ')
    return { name, alias }
  })
  const names = pairs.map(({ name }) => name).join(', ')
  const values = pairs.map(({ alias }) => `$${alias}`).join(', ')
  return `INSERT INTO ${table} (${names}) VALUES (${values})`
}
